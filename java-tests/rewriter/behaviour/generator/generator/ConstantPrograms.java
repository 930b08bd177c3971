package generator;

import static generator.ProgramClass.push;
import static generator.ProgramClass.sink;
import static org.objectweb.asm.Opcodes.*;

import org.objectweb.asm.ConstantDynamic;
import org.objectweb.asm.Handle;
import org.objectweb.asm.Label;
import org.objectweb.asm.Type;

/** Constants of every kind: ldc, ldc_w and ldc2_w, classes, handles, method types, dynamic constants, invokedynamic. */
final class ConstantPrograms {
  private static final String LOOKUP = "(Ljava/lang/invoke/MethodHandles$Lookup;Ljava/lang/String;";

  private ConstantPrograms() {}

  static byte[] all(String name) {
    ProgramClass out = new ProgramClass(name, V17);
    Handle constant = new Handle(H_INVOKESTATIC, out.name, "constant",
        LOOKUP + "Ljava/lang/Class;)Ljava/lang/Object;", false);
    Handle site = new Handle(H_INVOKESTATIC, out.name, "site",
        LOOKUP + "Ljava/lang/invoke/MethodType;)Ljava/lang/invoke/CallSite;", false);
    out.method(ACC_PUBLIC | ACC_STATIC, "constant", LOOKUP + "Ljava/lang/Class;)Ljava/lang/Object;", code -> {
      // Returns a value of the given type: 42 for each primitive type, the name for references.
      for (String wrapper : new String[] {"Integer", "Long", "Float", "Double"}) {
        Label next = new Label();
        code.visitVarInsn(ALOAD, 2);
        code.visitFieldInsn(GETSTATIC, "java/lang/" + wrapper, "TYPE", "Ljava/lang/Class;");
        code.visitJumpInsn(IF_ACMPNE, next);
        code.visitLdcInsn("42");
        code.visitMethodInsn(INVOKESTATIC, "java/lang/" + wrapper, "valueOf",
            "(Ljava/lang/String;)Ljava/lang/" + wrapper + ";", false);
        code.visitInsn(ARETURN);
        code.visitLabel(next);
      }
      code.visitVarInsn(ALOAD, 1);
      code.visitInsn(ARETURN);
    });
    out.method(ACC_PUBLIC | ACC_STATIC, "site",
        LOOKUP + "Ljava/lang/invoke/MethodType;)Ljava/lang/invoke/CallSite;", code -> {
          code.visitTypeInsn(NEW, "java/lang/invoke/ConstantCallSite");
          code.visitInsn(DUP);
          code.visitVarInsn(ALOAD, 0);
          code.visitLdcInsn(Type.getObjectType(out.name));
          code.visitVarInsn(ALOAD, 1);
          code.visitVarInsn(ALOAD, 2);
          code.visitMethodInsn(INVOKEVIRTUAL, "java/lang/invoke/MethodHandles$Lookup", "findStatic",
              "(Ljava/lang/Class;Ljava/lang/String;Ljava/lang/invoke/MethodType;)Ljava/lang/invoke/MethodHandle;",
              false);
          code.visitMethodInsn(INVOKESPECIAL, "java/lang/invoke/ConstantCallSite", "<init>",
              "(Ljava/lang/invoke/MethodHandle;)V", false);
          code.visitInsn(ARETURN);
        });
    out.method(ACC_PUBLIC | ACC_STATIC, "target", "(IJDLjava/lang/String;)J", code -> {
      code.visitVarInsn(ALOAD, 5);
      sink(code, 'A');
      code.visitVarInsn(LLOAD, 1);
      code.visitVarInsn(ILOAD, 0);
      code.visitInsn(I2L);
      code.visitInsn(LADD);
      code.visitInsn(LRETURN);
    });
    out.test("t_dynamic_constants", code -> {
      code.visitLdcInsn(new ConstantDynamic("i", "I", constant));
      sink(code, 'I');
      code.visitLdcInsn(new ConstantDynamic("j", "J", constant));
      sink(code, 'J');
      code.visitLdcInsn(new ConstantDynamic("f", "F", constant));
      sink(code, 'F');
      code.visitLdcInsn(new ConstantDynamic("d", "D", constant));
      sink(code, 'D');
      code.visitLdcInsn(new ConstantDynamic("text", "Ljava/lang/Object;", constant));
      sink(code, 'A');
      code.visitInsn(RETURN);
    });
    out.test("t_invokedynamic", code -> {
      push(code, 1);
      code.visitLdcInsn(200L);
      code.visitLdcInsn(2.5);
      code.visitLdcInsn("dynamic");
      code.visitInvokeDynamicInsn("target", "(IJDLjava/lang/String;)J", site);
      sink(code, 'J');
      code.visitInsn(RETURN);
    });
    out.test("t_other_constants", code -> {
      code.visitLdcInsn(Type.getObjectType("java/util/Map$Entry"));
      sink(code, 'A');
      code.visitLdcInsn(Type.getMethodType("(IJ)V"));
      sink(code, 'A');
      code.visitLdcInsn(new Handle(H_INVOKESTATIC, "java/lang/Math", "abs", "(I)I", false));
      sink(code, 'A');
      code.visitLdcInsn("sn\u0000w \u00e4 \u20ac \ud83d\ude00 lone \ud83d");
      code.visitMethodInsn(INVOKEVIRTUAL, "java/lang/String", "hashCode", "()I", false);
      sink(code, 'I');
      code.visitInsn(RETURN);
    });
    out.test("t_many_constants", code -> {
      // More than 255 of them, so that ldc becomes ldc_w, and a name in modified UTF-8.
      for (int i = 0; i < 400; i++) {
        code.visitLdcInsn("constant " + i);
        if (i % 100 == 99) {
          sink(code, 'A');
        } else {
          code.visitInsn(POP);
        }
      }
      code.visitLdcInsn(1234567);
      sink(code, 'I');
      code.visitLdcInsn(1.25f);
      sink(code, 'F');
      code.visitInsn(RETURN);
    });
    out.method(ACC_PUBLIC | ACC_STATIC, "t_n\u00e4me_\u20ac", "()V", code -> code.visitInsn(RETURN));
    return out.finish();
  }
}
