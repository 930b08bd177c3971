package generator;

import static org.objectweb.asm.Opcodes.*;

import java.util.function.Consumer;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.Label;
import org.objectweb.asm.MethodVisitor;

/**
 * One generated test class: methods named t…, line numbers on request, any class-file version. From version 50 on, ASM
 * computes the stack maps, unless a method writes its own.
 */
final class ProgramClass {
  static final String SINK = "behaviour/Sink";

  final String name;
  final int version;
  final ClassWriter writer;
  private int line = 1;

  ProgramClass(String simpleName, int version) {
    this(simpleName, version, hasFrames(version) ? ClassWriter.COMPUTE_FRAMES : ClassWriter.COMPUTE_MAXS);
  }

  ProgramClass(String simpleName, int version, int flags) {
    this.name = "behaviour/" + simpleName;
    this.version = version;
    this.writer = new ClassWriter(flags) {
      @Override
      protected String getCommonSuperClass(String a, String b) {
        return a.equals(b) ? a : "java/lang/Object";
      }
    };
    writer.visit(version, ACC_PUBLIC | ACC_SUPER, name, null, "java/lang/Object", null);
    writer.visitSource(simpleName + ".gen", null);
  }

  /** The version without the minor part, which ASM's constant for 45.3 contains. */
  static int major(int version) {
    return version & 0xFFFF;
  }

  static boolean hasFrames(int version) {
    return major(version) >= V1_6;
  }

  /** A test method; its body must end with a return. */
  void test(String methodName, Consumer<MethodVisitor> body) {
    method(ACC_PUBLIC | ACC_STATIC, methodName, "()V", body);
  }

  void method(int access, String methodName, String descriptor, Consumer<MethodVisitor> body) {
    MethodVisitor code = writer.visitMethod(access, methodName, descriptor, null, null);
    code.visitCode();
    line(code);
    body.accept(code);
    code.visitMaxs(0, 0);
    code.visitEnd();
  }

  /** Adds a line-number entry, so that stack traces show whether the table moved with the code. */
  void line(MethodVisitor code) {
    Label here = new Label();
    code.visitLabel(here);
    code.visitLineNumber(line++ & 0xFFFF, here);
  }

  byte[] finish() {
    writer.visitEnd();
    return writer.toByteArray();
  }

  // Helpers for most method bodies.

  static void push(MethodVisitor code, Object value) {
    if (value == null) {
      code.visitInsn(ACONST_NULL);
    } else if (value instanceof Integer i && i >= -1 && i <= 5) {
      code.visitInsn(ICONST_0 + i);
    } else if (value instanceof Integer i && i >= Byte.MIN_VALUE && i <= Byte.MAX_VALUE) {
      code.visitIntInsn(BIPUSH, i);
    } else if (value instanceof Integer i && i >= Short.MIN_VALUE && i <= Short.MAX_VALUE) {
      code.visitIntInsn(SIPUSH, i);
    } else if (value instanceof Long j && (j == 0 || j == 1)) {
      code.visitInsn(j == 0 ? LCONST_0 : LCONST_1);
    } else if (value instanceof Float f && (f.equals(0f) || f == 1 || f == 2)) {
      code.visitInsn(FCONST_0 + f.intValue());
    } else if (value instanceof Double d && (d.equals(0d) || d == 1)) {
      code.visitInsn(DCONST_0 + d.intValue());
    } else {
      code.visitLdcInsn(value);
    }
  }

  /** Puts the value on the stack into the sink; its type is the first letter of the descriptor. */
  static void sink(MethodVisitor code, char type) {
    switch (type) {
      case 'I', 'Z', 'B', 'C', 'S' -> code.visitMethodInsn(INVOKESTATIC, SINK, "i", "(I)V", false);
      case 'J' -> code.visitMethodInsn(INVOKESTATIC, SINK, "j", "(J)V", false);
      case 'F' -> code.visitMethodInsn(INVOKESTATIC, SINK, "f", "(F)V", false);
      case 'D' -> code.visitMethodInsn(INVOKESTATIC, SINK, "d", "(D)V", false);
      case 'A' -> code.visitMethodInsn(INVOKESTATIC, SINK, "a", "(Ljava/lang/Object;)V", false);
      default -> throw new IllegalArgumentException("no sink for " + type);
    }
  }

  static void tick(MethodVisitor code, int n) {
    push(code, n);
    code.visitMethodInsn(INVOKESTATIC, SINK, "tick", "(I)Z", false);
  }

  static int size(char type) {
    return type == 'J' || type == 'D' ? 2 : 1;
  }
}
