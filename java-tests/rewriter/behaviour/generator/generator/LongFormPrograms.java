package generator;

import static generator.ProgramClass.push;
import static generator.ProgramClass.sink;
import static org.objectweb.asm.Opcodes.*;

import org.objectweb.asm.Label;

/**
 * Encodings that are longer than necessary, which are legal but which ASM does not emit: `iload 0`, `wide iload
 * 0`, `wide iinc` with a small step, `goto_w` over three bytes. They are written with indices that force the form,
 * then patched.
 */
final class LongFormPrograms {
  private static final int GOTO_W = 200;
  private static final int PLAIN = 200;  // the local variable that stands for 0 in the two-byte form
  private static final int WIDE = 400;   // and in the wide form

  private LongFormPrograms() {}

  static byte[] all(String name, int version) {
    ProgramClass out = new ProgramClass(name, version);
    for (int index : new int[] {PLAIN, WIDE}) {
      for (char type : "IJFDA".toCharArray()) {
        out.test("t_" + type + index, code -> {
          push(code, switch (type) {
            case 'I' -> 5;
            case 'J' -> 6L;
            case 'F' -> 7.5f;
            case 'D' -> 8.5;
            default -> "nine";
          });
          OpcodePrograms.store(code, type, index);
          OpcodePrograms.load(code, type, index);
          sink(code, type);
          if (type == 'I') {
            code.visitIincInsn(index, 3);
            OpcodePrograms.load(code, type, index);
            sink(code, 'I');
          }
          code.visitInsn(RETURN);
        });
      }
    }
    out.test("t_goto_w", code -> {
      Label one = new Label();
      Label two = new Label();
      Label leave = new Label();
      code.visitJumpInsn(GOTO_W, two);
      code.visitLabel(one);
      push(code, 1);
      sink(code, 'I');
      code.visitJumpInsn(GOTO_W, leave);
      code.visitLabel(two);
      push(code, 2);
      sink(code, 'I');
      code.visitJumpInsn(GOTO_W, one);
      code.visitLabel(leave);
      code.visitInsn(RETURN);
    });
    return patched(out.finish());
  }

  private static byte[] patched(byte[] bytes) {
    CodeBytes code = new CodeBytes(bytes);
    for (String method : code.methods.keySet()) {
      code.visit(method, (at, opcode, wide) -> {
        boolean local = opcode >= ILOAD && opcode <= ALOAD || opcode >= ISTORE && opcode <= ASTORE || opcode == IINC;
        if (!local) return;
        if (wide && code.u2(at + 1) == WIDE) {
          bytes[at + 1] = 0;
          bytes[at + 2] = 0;
        } else if (!wide && (bytes[at + 1] & 0xFF) == PLAIN) {
          bytes[at + 1] = 0;
        }
      });
    }
    return bytes;
  }
}
