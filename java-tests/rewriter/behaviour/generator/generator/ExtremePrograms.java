package generator;

import static generator.ProgramClass.push;
import static generator.ProgramClass.sink;
import static org.objectweb.asm.Opcodes.*;

import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BiFunction;
import java.util.function.ToIntFunction;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.Label;
import org.objectweb.asm.MethodVisitor;

/** Classes at the limits of the format, which no jar contains. */
final class ExtremePrograms {
  private static final int GOTO_W = 200;
  private static final String CALLEE = "callee";

  private ExtremePrograms() {}

  static Map<String, byte[]> all() {
    Map<String, byte[]> classes = new TreeMap<>();
    for (int entries : new int[] {60000, 65000, 65500, 65525, 65530, 65534}) {
      classes.put("Pool" + entries, pool("Pool" + entries, entries));
    }
    for (int version : new int[] {V1_5, V1_6, V17}) {
      for (int size : new int[] {7999, 8000, 8001, 32768, 60000, 65000, 65500, 65534, 65535}) {
        for (boolean nops : new boolean[] {true, false}) {
          String name = "Size" + version + "_" + size + (nops ? "n" : "s");
          classes.put(name, sized(name, version, size, nops));
        }
      }
      for (int opcode : new int[] {IFEQ, IF_ICMPLT, IF_ACMPEQ, IFNULL, GOTO, JSR}) {
        if (opcode == JSR && version > V1_5) continue;
        for (int offset : new int[] {-32768, -32700, -20000, 20000, 32700, 32760, 32767}) {
          for (boolean nops : new boolean[] {true, false}) {
            String name = "Far" + version + "_" + opcode + (offset < 0 ? "b" : "f") + Math.abs(offset)
                + (nops ? "n" : "s");
            classes.put(name, far(name, version, opcode, offset, nops));
          }
        }
      }
      for (int locals : new int[] {255, 256, 257, 65000, 65531, 65533, 65534, 65535}) {
        String name = "Locals" + version + "_" + locals;
        classes.put(name, locals(name, version, locals));
      }
      for (int stack : new int[] {60000, 65525, 65530, 65533, 65535}) {
        String name = "Stack" + version + "_" + stack;
        classes.put(name, declaredStack(name, version, stack));
      }
      classes.put("Deep" + version, deepStack("Deep" + version, version));
      classes.put("Handlers" + version, manyHandlers("Handlers" + version, version));
      classes.put("Branches" + version, manyBranches("Branches" + version, version));
    }
    return classes;
  }

  /** A constant pool with about that many entries: numbers, and code that uses the last of them. */
  private static byte[] pool(String name, int entries) {
    return fitted(entries, 0, (filler, ignored) -> {
      ProgramClass out = new ProgramClass(name, V17);
      for (int i = 0; i < filler; i++) out.writer.newConst(1_000_000 + i);
      out.test("t", code -> {
        code.visitLdcInsn(1_000_000 + filler - 1);
        sink(code, 'I');
        Label other = new Label();
        ProgramClass.tick(code, 1);
        code.visitJumpInsn(IFEQ, other);
        code.visitLdcInsn(77);
        sink(code, 'I');
        code.visitLabel(other);
        code.visitInsn(RETURN);
      });
      return out.finish();
    }, bytes -> new CodeBytes(bytes).u2(8));
  }

  /** Code without effect: n nops, or as few instructions as possible (switches with one target) and up to 3 nops. */
  private static void fill(MethodVisitor code, int bytes, boolean nops) {
    while (!nops && bytes >= 40) {
      int entries = Math.min(8000, (bytes - 20) / 4);
      Label next = new Label();
      Label[] targets = new Label[entries];
      Arrays.fill(targets, next);
      push(code, 1);
      code.visitTableSwitchInsn(0, entries - 1, next, targets);
      code.visitLabel(next);
      bytes -= 17 + 4 * entries;
    }
    for (; bytes > 0; bytes--) code.visitInsn(NOP);
  }

  /** Calls `make` with different filler sizes until `measure` of the class returns the wanted value. */
  private static byte[] fitted(int wanted, int guess, BiFunction<Integer, Integer, byte[]> make,
      ToIntFunction<byte[]> measure) {
    int filler = guess;
    int fine = 0;
    for (int attempt = 0; attempt < 12; attempt++) {
      byte[] bytes = make.apply(filler, fine);
      int missing = wanted - measure.applyAsInt(bytes);
      if (missing == 0) return bytes;
      if (attempt < 4) {
        filler += missing;
      } else if (attempt == 4) {
        filler += missing - 16;  // the filler grows in uneven steps: approach from below, by single bytes
      } else {
        fine += missing;
      }
    }
    throw new IllegalStateException("no class with the value " + wanted);
  }

  private static byte[] sized(String name, int version, int size, boolean nops) {
    return fitted(size, size - 1000, (filler, fine) -> {
      ProgramClass out = new ProgramClass(name, version);
      out.method(ACC_STATIC, CALLEE, "(I)V", code -> {
        Label far = new Label();
        code.visitVarInsn(ILOAD, 0);
        code.visitJumpInsn(IFEQ, far);
        push(code, 1);
        sink(code, 'I');
        code.visitLabel(far);
        code.visitVarInsn(ILOAD, 0);
        sink(code, 'I');
        fill(code, filler, nops);
        fill(code, fine, true);
        Label last = new Label();
        code.visitVarInsn(ILOAD, 0);
        code.visitJumpInsn(IFNE, last);
        push(code, 2);
        sink(code, 'I');
        code.visitLabel(last);
        code.visitInsn(RETURN);
      });
      callTwice(out);
      return out.finish();
    }, bytes -> new CodeBytes(bytes).length(CALLEE + "(I)V"));
  }

  private static void callTwice(ProgramClass out) {
    out.test("t", code -> {
      for (int argument : new int[] {0, 1}) {
        push(code, argument);
        code.visitMethodInsn(INVOKESTATIC, out.name, CALLEE, "(I)V", false);
      }
      code.visitInsn(RETURN);
    });
  }

  /** One branch with exactly that offset. */
  private static byte[] far(String name, int version, int opcode, int offset, boolean nops) {
    return fitted(Math.abs(offset), Math.abs(offset) - 500, (filler, fine) -> {
      ProgramClass out = new ProgramClass(name, version);
      out.method(ACC_STATIC, CALLEE, "(I)V", code -> {
        Label target = new Label();
        Label body = new Label();
        Label leave = new Label();
        if (offset > 0) {
          condition(code, opcode);
          code.visitJumpInsn(opcode, target);
          push(code, 1);
          sink(code, 'I');
          code.visitVarInsn(ILOAD, 0);
          code.visitJumpInsn(IFNE, body);
          if (opcode != JSR) code.visitJumpInsn(GOTO, body);
          code.visitLabel(body);
          fill(code, filler, nops);
          fill(code, fine, true);
          if (opcode == JSR) code.visitInsn(RETURN);
          code.visitLabel(target);
          arrive(code, opcode);
          code.visitInsn(RETURN);
          return;
        }
        code.visitJumpInsn(GOTO_W, body);
        code.visitLabel(target);
        arrive(code, opcode);
        code.visitIincInsn(0, 1);
        code.visitVarInsn(ILOAD, 0);
        push(code, 3);
        Label again = new Label();
        code.visitJumpInsn(IF_ICMPLT, again);
        code.visitInsn(RETURN);
        code.visitLabel(again);
        fill(code, filler, nops);
        fill(code, fine, true);
        code.visitLabel(body);
        condition(code, opcode);
        code.visitJumpInsn(opcode, target);
        code.visitLabel(leave);
        push(code, 4);
        sink(code, 'I');
        code.visitInsn(RETURN);
      });
      callTwice(out);
      return out.finish();
    }, bytes -> {
      CodeBytes code = new CodeBytes(bytes);
      int[] found = {0};
      code.visit(CALLEE + "(I)V", (at, op, wide) -> {
        // Beyond 16 bits, ASM encodes the branch differently: the offset is that of a goto_w.
        boolean far = op == 200 || op == 201;
        int jump = op == opcode ? code.s2(at + 1) : far ? code.s4(at + 1) : 0;
        if (Integer.signum(jump) == Integer.signum(offset)) found[0] = Math.max(found[0], Math.abs(jump));
      });
      return found[0];
    });
  }

  private static void condition(MethodVisitor code, int opcode) {
    switch (opcode) {
      case IFEQ -> code.visitVarInsn(ILOAD, 0);
      case IF_ICMPLT -> {
        code.visitVarInsn(ILOAD, 0);
        push(code, 1);
      }
      case IF_ACMPEQ -> {
        code.visitLdcInsn("");
        code.visitInsn(DUP);
      }
      case IFNULL -> code.visitInsn(ACONST_NULL);
      default -> { }
    }
  }

  private static void arrive(MethodVisitor code, int opcode) {
    if (opcode == JSR) code.visitInsn(POP);
    push(code, 5);
    sink(code, 'I');
  }

  private static byte[] locals(String name, int version, int locals) {
    ProgramClass out = new ProgramClass(name, version);
    out.test("t", code -> {
      code.visitLdcInsn(123L);
      code.visitVarInsn(LSTORE, locals - 2);
      push(code, 7);
      code.visitVarInsn(ISTORE, 0);
      Label loop = new Label();
      code.visitLabel(loop);
      code.visitVarInsn(LLOAD, locals - 2);
      sink(code, 'J');
      code.visitIincInsn(0, -3);
      code.visitVarInsn(ILOAD, 0);
      code.visitJumpInsn(IFGT, loop);
      code.visitInsn(RETURN);
    });
    return out.finish();
  }

  /** Declares more operand stack than it uses. */
  private static byte[] declaredStack(String name, int version, int stack) {
    ProgramClass out = new ProgramClass(name, version, 0);
    MethodVisitor code = out.writer.visitMethod(ACC_PUBLIC | ACC_STATIC, "t", "()V", null, null);
    code.visitCode();
    code.visitLdcInsn(5L);
    sink(code, 'J');
    code.visitInsn(RETURN);
    code.visitMaxs(stack, 0);
    code.visitEnd();
    return out.finish();
  }

  /** A stack that really is that deep: 20,000 values, halved and halved again. */
  private static byte[] deepStack(String name, int version) {
    ProgramClass out = new ProgramClass(name, version);
    out.test("t", code -> {
      for (int i = 0; i < 20000; i++) push(code, 1);
      Label other = new Label();
      ProgramClass.tick(code, 1);
      code.visitJumpInsn(IFEQ, other);
      push(code, 3);
      sink(code, 'I');
      code.visitLabel(other);
      for (int i = 0; i < 19999; i++) code.visitInsn(IADD);
      sink(code, 'I');
      code.visitInsn(RETURN);
    });
    return out.finish();
  }

  private static byte[] manyHandlers(String name, int version) {
    ProgramClass out = new ProgramClass(name, version);
    out.test("t", code -> {
      Label handler = new Label();
      Label leave = new Label();
      Label[] starts = new Label[2001];
      Arrays.setAll(starts, i -> new Label());
      for (int i = 0; i < 2000; i++) {
        code.visitTryCatchBlock(starts[i], starts[i + 1], handler, i % 2 == 0 ? "java/lang/RuntimeException" : null);
      }
      for (int i = 0; i < 2000; i++) {
        code.visitLabel(starts[i]);
        out.line(code);
        if (i == 1500) {
          push(code, 1);
          push(code, 0);
          code.visitInsn(IDIV);
          code.visitInsn(POP);
        } else {
          code.visitInsn(NOP);
        }
      }
      code.visitLabel(starts[2000]);
      code.visitJumpInsn(GOTO, leave);
      code.visitLabel(handler);
      sink(code, 'A');
      code.visitLabel(leave);
      code.visitInsn(RETURN);
    });
    return out.finish();
  }

  /** Many small branches, so that some of them exceed 16 bits after dense rewriting. */
  private static byte[] manyBranches(String name, int version) {
    ProgramClass out = new ProgramClass(name, version);
    out.test("t", code -> {
      Label outer = new Label();
      push(code, 0);
      code.visitVarInsn(ISTORE, 0);
      code.visitLabel(outer);
      for (int i = 0; i < 700; i++) {
        Label next = new Label();
        code.visitVarInsn(ILOAD, 0);
        push(code, i);
        code.visitJumpInsn(IF_ICMPNE, next);
        push(code, i);
        sink(code, 'I');
        code.visitLabel(next);
      }
      code.visitIincInsn(0, 113);
      code.visitVarInsn(ILOAD, 0);
      push(code, 700);
      code.visitJumpInsn(IF_ICMPLT, outer);
      code.visitInsn(RETURN);
    });
    return out.finish();
  }
}
