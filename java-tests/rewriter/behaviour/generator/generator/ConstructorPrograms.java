package generator;

import static generator.ProgramClass.push;
import static generator.ProgramClass.sink;
import static generator.ProgramClass.tick;
import static org.objectweb.asm.Opcodes.*;

import org.objectweb.asm.Label;

/** Constructors that javac does not emit: control flow and other objects before this() and super(). */
final class ConstructorPrograms {
  private ConstructorPrograms() {}

  static void addTo(ProgramClass out) {
    out.writer.visitField(0, "number", "I", null, null);
    // Branches, a loop, a switch and other objects before this() and super(): frames with uninitializedThis.
    out.method(ACC_PUBLIC, "<init>", "(I)V", code -> {
      Label loop = new Label();
      Label done = new Label();
      Label odd = new Label();
      Label join = new Label();
      code.visitVarInsn(ALOAD, 0);
      push(code, 0);
      code.visitVarInsn(ISTORE, 2);
      code.visitLabel(loop);
      code.visitVarInsn(ILOAD, 1);
      code.visitJumpInsn(IFLE, done);
      code.visitVarInsn(ILOAD, 2);
      code.visitVarInsn(ILOAD, 1);
      code.visitInsn(IADD);
      code.visitVarInsn(ISTORE, 2);
      code.visitIincInsn(1, -1);
      code.visitJumpInsn(GOTO, loop);
      code.visitLabel(done);
      code.visitVarInsn(ILOAD, 2);
      push(code, 1);
      code.visitInsn(IAND);
      code.visitJumpInsn(IFNE, odd);
      code.visitVarInsn(ILOAD, 2);
      code.visitJumpInsn(GOTO, join);
      code.visitLabel(odd);
      code.visitVarInsn(ILOAD, 2);
      code.visitInsn(INEG);
      code.visitLabel(join);
      code.visitLdcInsn("text");
      code.visitMethodInsn(INVOKESPECIAL, out.name, "<init>", "(ILjava/lang/String;)V", false);
      code.visitVarInsn(ILOAD, 2);
      sink(code, 'I');
      code.visitInsn(RETURN);
    });
    out.method(ACC_PUBLIC, "<init>", "(ILjava/lang/String;)V", code -> {
      // A field of the class itself may be written before super().
      code.visitVarInsn(ALOAD, 0);
      code.visitVarInsn(ILOAD, 1);
      code.visitFieldInsn(PUTFIELD, out.name, "number", "I");
      Label present = new Label();
      code.visitVarInsn(ALOAD, 2);
      code.visitJumpInsn(IFNONNULL, present);
      FlowPrograms.raise(code, "java/lang/NullPointerException");
      code.visitLabel(present);
      code.visitVarInsn(ALOAD, 0);
      code.visitMethodInsn(INVOKESPECIAL, "java/lang/Object", "<init>", "()V", false);
      code.visitVarInsn(ALOAD, 0);
      code.visitFieldInsn(GETFIELD, out.name, "number", "I");
      sink(code, 'I');
      code.visitInsn(RETURN);
    });
    // super() in two places, one of them in each branch.
    out.method(ACC_PUBLIC, "<init>", "(J)V", code -> {
      Label zero = new Label();
      code.visitVarInsn(LLOAD, 1);
      code.visitInsn(LCONST_0);
      code.visitInsn(LCMP);
      code.visitJumpInsn(IFEQ, zero);
      code.visitVarInsn(ALOAD, 0);
      code.visitMethodInsn(INVOKESPECIAL, "java/lang/Object", "<init>", "()V", false);
      code.visitVarInsn(LLOAD, 1);
      sink(code, 'J');
      code.visitInsn(RETURN);
      code.visitLabel(zero);
      code.visitVarInsn(ALOAD, 0);
      push(code, 3);
      code.visitMethodInsn(INVOKESPECIAL, out.name, "<init>", "(I)V", false);
      code.visitInsn(RETURN);
    });
    out.test("t_constructors", code -> {
      for (int i = 0; i < 4; i++) {
        code.visitTypeInsn(NEW, out.name);
        push(code, i);
        code.visitMethodInsn(INVOKESPECIAL, out.name, "<init>", "(I)V", false);
      }
      for (long j = 0; j < 2; j++) {
        code.visitTypeInsn(NEW, out.name);
        push(code, j);
        code.visitMethodInsn(INVOKESPECIAL, out.name, "<init>", "(J)V", false);
      }
      code.visitTypeInsn(NEW, out.name);
      push(code, 1);
      code.visitInsn(ACONST_NULL);
      out.line(code);
      code.visitMethodInsn(INVOKESPECIAL, out.name, "<init>", "(ILjava/lang/String;)V", false);
      code.visitInsn(RETURN);
    });
    out.test("t_uninitialized_on_stack", code -> {
      // Three objects that are not constructed yet at a branch, one of them in a local.
      Label other = new Label();
      Label join = new Label();
      code.visitTypeInsn(NEW, "java/lang/Integer");
      code.visitVarInsn(ASTORE, 5);
      code.visitTypeInsn(NEW, "java/lang/Long");
      code.visitInsn(DUP);
      code.visitTypeInsn(NEW, "java/lang/StringBuilder");
      code.visitInsn(DUP);
      tick(code, 1);
      code.visitJumpInsn(IFEQ, other);
      code.visitLdcInsn("ticked");
      code.visitJumpInsn(GOTO, join);
      code.visitLabel(other);
      code.visitLdcInsn("not ticked");
      code.visitLabel(join);
      code.visitMethodInsn(INVOKESPECIAL, "java/lang/StringBuilder", "<init>", "(Ljava/lang/String;)V", false);
      sink(code, 'A');
      code.visitLdcInsn(77L);
      code.visitMethodInsn(INVOKESPECIAL, "java/lang/Long", "<init>", "(J)V", false);
      sink(code, 'A');
      code.visitVarInsn(ALOAD, 5);
      push(code, 88);
      code.visitMethodInsn(INVOKESPECIAL, "java/lang/Integer", "<init>", "(I)V", false);
      code.visitVarInsn(ALOAD, 5);
      sink(code, 'A');
      code.visitInsn(RETURN);
    });
  }
}
