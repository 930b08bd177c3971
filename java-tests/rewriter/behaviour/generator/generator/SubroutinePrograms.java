package generator;

import static generator.ProgramClass.push;
import static generator.ProgramClass.sink;
import static generator.ProgramClass.tick;
import static org.objectweb.asm.Opcodes.*;

import org.objectweb.asm.Label;

/** jsr and ret, which compilers used for finally up to version 49, also in forms that no compiler emitted. */
final class SubroutinePrograms {
  private static final int JSR_W = 201;

  private SubroutinePrograms() {}

  static byte[] all(String name, int version) {
    ProgramClass out = new ProgramClass(name, version);
    for (int opcode : new int[] {JSR, JSR_W}) {
      for (int local : new int[] {1, 300}) {  // ret, and wide ret
        out.test("t_finally_" + opcode + "_" + local, code -> {
          Label start = new Label();
          Label end = new Label();
          Label any = new Label();
          Label subroutine = new Label();
          code.visitTryCatchBlock(start, end, any, null);
          code.visitLabel(start);
          push(code, 1);
          sink(code, 'I');
          tick(code, 1);
          Label fine = new Label();
          code.visitJumpInsn(IFEQ, fine);
          code.visitJumpInsn(opcode, subroutine);
          push(code, 2);
          sink(code, 'I');
          code.visitInsn(RETURN);
          code.visitLabel(fine);
          code.visitTypeInsn(NEW, "java/lang/IllegalStateException");
          code.visitInsn(DUP);
          code.visitMethodInsn(INVOKESPECIAL, "java/lang/IllegalStateException", "<init>", "()V", false);
          out.line(code);
          code.visitInsn(ATHROW);
          code.visitLabel(end);
          code.visitLabel(any);
          code.visitVarInsn(ASTORE, 2);
          code.visitJumpInsn(opcode, subroutine);
          code.visitVarInsn(ALOAD, 2);
          code.visitInsn(ATHROW);
          code.visitLabel(subroutine);
          code.visitVarInsn(ASTORE, local);
          push(code, 3);
          sink(code, 'I');
          code.visitVarInsn(RET, local);
        });
      }
    }
    out.test("t_finally_throws", code -> {
      // The first call returns, the second takes the exception path of the same subroutine.
      Label start = new Label();
      Label end = new Label();
      Label any = new Label();
      Label subroutine = new Label();
      Label loop = new Label();
      code.visitTryCatchBlock(start, end, any, null);
      code.visitLabel(loop);
      code.visitLabel(start);
      push(code, 4);
      code.visitMethodInsn(INVOKESTATIC, ProgramClass.SINK, "tickOrThrow", "(I)V", false);
      code.visitLabel(end);
      code.visitJumpInsn(JSR, subroutine);
      code.visitJumpInsn(GOTO, loop);
      code.visitLabel(any);
      code.visitVarInsn(ASTORE, 0);
      code.visitJumpInsn(JSR, subroutine);
      code.visitVarInsn(ALOAD, 0);
      code.visitInsn(ATHROW);
      code.visitLabel(subroutine);
      code.visitVarInsn(ASTORE, 1);
      push(code, 5);
      sink(code, 'I');
      code.visitVarInsn(RET, 1);
    });
    out.test("t_nested_subroutines", code -> {
      Label outer = new Label();
      Label inner = new Label();
      code.visitLdcInsn(44L);
      code.visitJumpInsn(JSR, outer);
      code.visitJumpInsn(JSR, outer);
      sink(code, 'J');
      code.visitInsn(RETURN);
      code.visitLabel(outer);
      code.visitVarInsn(ASTORE, 0);
      push(code, 1);
      sink(code, 'I');
      code.visitJumpInsn(JSR, inner);
      push(code, 2);
      sink(code, 'I');
      code.visitVarInsn(RET, 0);
      code.visitLabel(inner);
      code.visitVarInsn(ASTORE, 1);
      push(code, 3);
      sink(code, 'I');
      code.visitVarInsn(RET, 1);
    });
    out.test("t_subroutine_that_never_returns", code -> {
      Label subroutine = new Label();
      code.visitJumpInsn(JSR, subroutine);
      code.visitLabel(subroutine);
      code.visitInsn(POP);
      push(code, 9);
      sink(code, 'I');
      code.visitInsn(RETURN);
    });
    out.test("t_loop_in_subroutine", code -> {
      Label subroutine = new Label();
      push(code, 3);
      code.visitVarInsn(ISTORE, 4);
      code.visitJumpInsn(JSR, subroutine);
      push(code, 2);
      code.visitVarInsn(ISTORE, 4);
      code.visitJumpInsn(JSR, subroutine);
      code.visitInsn(RETURN);
      code.visitLabel(subroutine);
      code.visitVarInsn(ASTORE, 0);
      Label loop = new Label();
      code.visitLabel(loop);
      code.visitVarInsn(ILOAD, 4);
      sink(code, 'I');
      code.visitIincInsn(4, -1);
      code.visitVarInsn(ILOAD, 4);
      code.visitJumpInsn(IFGT, loop);
      code.visitVarInsn(RET, 0);
    });
    return out.finish();
  }
}
