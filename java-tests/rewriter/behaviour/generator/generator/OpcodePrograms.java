package generator;

import static generator.ProgramClass.push;
import static generator.ProgramClass.sink;
import static org.objectweb.asm.Opcodes.*;

import java.util.ArrayList;
import java.util.List;
import org.objectweb.asm.Label;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.util.Printer;

/**
 * Straight-line uses of every opcode: arithmetic over edge values, every form of the stack operations, locals, arrays.
 */
final class OpcodePrograms {
  private static final Object[] INTS = {0, 1, -1, 7, 4711, Integer.MIN_VALUE, Integer.MAX_VALUE};
  private static final Object[] LONGS = {0L, 1L, -1L, 1L << 40, Long.MIN_VALUE, Long.MAX_VALUE};
  private static final Object[] FLOATS = {0f, 1f, 2f, -1.5f, Float.NaN, Float.POSITIVE_INFINITY, 1e30f};
  private static final Object[] DOUBLES = {0d, 1d, -1.5d, Double.NaN, Double.NEGATIVE_INFINITY, 1e300d};

  private final ProgramClass out;

  OpcodePrograms(ProgramClass out) {
    this.out = out;
  }

  static byte[] all(String name, int version) {
    ProgramClass out = new ProgramClass(name, version);
    OpcodePrograms programs = new OpcodePrograms(out);
    programs.arithmetic();
    programs.conversions();
    programs.comparisons();
    programs.stackForms();
    programs.locals();
    programs.arrays();
    programs.objects();
    programs.returns();
    return out.finish();
  }

  private static Object[] values(char type) {
    return switch (type) {
      case 'I' -> INTS;
      case 'J' -> LONGS;
      case 'F' -> FLOATS;
      default -> DOUBLES;
    };
  }

  private static String name(int opcode) {
    return "t_" + Printer.OPCODES[opcode].toLowerCase();
  }

  private void arithmetic() {
    String types = "IJFD";
    for (int base : new int[] {IADD, ISUB, IMUL, IDIV, IREM}) {
      for (int i = 0; i < 4; i++) binary(base + i, types.charAt(i), types.charAt(i));
    }
    for (int opcode : new int[] {ISHL, ISHR, IUSHR, IAND, IOR, IXOR}) {
      binary(opcode, 'I', 'I');
      binary(opcode + 1, 'J', opcode <= IUSHR ? 'I' : 'J');
    }
    for (int i = 0; i < 4; i++) unary(INEG + i, types.charAt(i), types.charAt(i));
  }

  /** Every pair of edge values; a pair that throws (division by zero) is caught, and its line recorded. */
  private void binary(int opcode, char left, char right) {
    char result = left;
    String helper = "op_" + Printer.OPCODES[opcode].toLowerCase();
    String descriptor = "(" + left + right + ")" + result;
    out.method(ACC_STATIC, helper, descriptor, code -> {
      load(code, left, 0);
      load(code, right, ProgramClass.size(left));
      code.visitInsn(opcode);
      code.visitInsn(returnOf(result));
    });
    out.test(name(opcode), code -> {
      for (Object a : values(left)) {
        for (Object b : values(right)) {
          Label start = new Label();
          Label end = new Label();
          Label handler = new Label();
          Label next = new Label();
          code.visitTryCatchBlock(start, end, handler, "java/lang/ArithmeticException");
          code.visitLabel(start);
          push(code, a);
          push(code, b);
          code.visitInsn(opcode);
          sink(code, result);
          push(code, a);
          push(code, b);
          code.visitMethodInsn(INVOKESTATIC, out.name, helper, descriptor, false);
          sink(code, result);
          code.visitJumpInsn(GOTO, next);
          code.visitLabel(end);
          code.visitLabel(handler);
          sink(code, 'A');
          code.visitLabel(next);
        }
      }
      code.visitInsn(RETURN);
    });
  }

  private void unary(int opcode, char operand, char result) {
    out.test(name(opcode), code -> {
      for (Object a : values(operand)) {
        push(code, a);
        code.visitInsn(opcode);
        sink(code, result);
      }
      code.visitInsn(RETURN);
    });
  }

  private void conversions() {
    String types = "IJFD";
    int opcode = I2L;
    for (int from = 0; from < 4; from++) {
      for (int to = 0; to < 4; to++) {
        if (from != to) unary(opcode++, types.charAt(from), types.charAt(to));
      }
    }
    for (int narrow : new int[] {I2B, I2C, I2S}) unary(narrow, 'I', 'I');
  }

  private void comparisons() {
    compare(LCMP, 'J');
    compare(FCMPL, 'F');
    compare(FCMPG, 'F');
    compare(DCMPL, 'D');
    compare(DCMPG, 'D');
    for (int opcode = IFEQ; opcode <= IFLE; opcode++) branch(opcode, new char[] {'I'});
    for (int opcode = IF_ICMPEQ; opcode <= IF_ICMPLE; opcode++) branch(opcode, new char[] {'I', 'I'});
    for (int opcode : new int[] {IF_ACMPEQ, IF_ACMPNE}) branch(opcode, new char[] {'A', 'A'});
    for (int opcode : new int[] {IFNULL, IFNONNULL}) branch(opcode, new char[] {'A'});
  }

  private void compare(int opcode, char type) {
    out.test(name(opcode), code -> {
      for (Object a : values(type)) {
        for (Object b : values(type)) {
          push(code, a);
          push(code, b);
          code.visitInsn(opcode);
          sink(code, 'I');
        }
      }
      code.visitInsn(RETURN);
    });
  }

  /** The branch forwards and backwards, taken and not taken, with a long below on the stack. */
  private void branch(int opcode, char[] operands) {
    Object[] choices = operands[0] == 'A' ? new Object[] {null, "x", "y"} : new Object[] {0, 1, -1, 5};
    out.test(name(opcode), code -> {
      for (Object a : choices) {
        for (Object b : operands.length == 2 ? choices : new Object[] {null}) {
          Label taken = new Label();
          Label next = new Label();
          code.visitLdcInsn(123456789012L);
          push(code, a);
          if (operands.length == 2) push(code, b);
          code.visitJumpInsn(opcode, taken);
          push(code, 1);
          sink(code, 'I');
          code.visitJumpInsn(GOTO, next);
          code.visitLabel(taken);
          push(code, 2);
          sink(code, 'I');
          code.visitLabel(next);
          sink(code, 'J');
        }
      }
      code.visitInsn(RETURN);
    });
  }

  // Categories of the values below a stack operation, bottom first; all forms of the specification.
  private static final Object[][] STACK_FORMS = {
      {POP, "1"}, {POP2, "11"}, {POP2, "2"}, {DUP, "1"}, {DUP_X1, "11"}, {DUP_X2, "111"}, {DUP_X2, "21"},
      {DUP2, "11"}, {DUP2, "2"}, {DUP2_X1, "111"}, {DUP2_X1, "12"}, {DUP2_X2, "1111"}, {DUP2_X2, "112"},
      {DUP2_X2, "211"}, {DUP2_X2, "22"}, {SWAP, "11"},
  };

  private void stackForms() {
    for (int i = 0; i < STACK_FORMS.length; i++) {
      int opcode = (Integer) STACK_FORMS[i][0];
      String categories = (String) STACK_FORMS[i][1];
      out.test(name(opcode) + "_" + categories, code -> {
        for (int round = 0; round < 3; round++) {
          List<Character> stack = new ArrayList<>();
          stack.add('J');  // something below that must survive
          code.visitLdcInsn(99L);
          for (int k = 0; k < categories.length(); k++) {
            char type = categories.charAt(k) == '1' ? "IFA".charAt((k + round) % 3) : "JD".charAt((k + round) % 2);
            stack.add(type);
            push(code, sample(type, k));
          }
          code.visitInsn(opcode);
          shuffle(opcode, stack);
          for (int k = stack.size() - 1; k >= 0; k--) sink(code, stack.get(k));
        }
        code.visitInsn(RETURN);
      });
    }
    out.test("t_nop", code -> {
      push(code, 5d);
      code.visitInsn(NOP);
      push(code, 6L);
      code.visitInsn(NOP);
      sink(code, 'J');
      code.visitInsn(NOP);
      sink(code, 'D');
      code.visitInsn(NOP);
      code.visitInsn(RETURN);
    });
  }

  private static Object sample(char type, int k) {
    return switch (type) {
      case 'I' -> 1000 + k;
      case 'J' -> 2000000000000L + k;
      case 'F' -> 3.5f + k;
      case 'D' -> 4.25 + k;
      default -> "s" + k;
    };
  }

  /** The effect of the operation on a list of value types, according to the specification. */
  private static void shuffle(int opcode, List<Character> stack) {
    int top = stack.size();
    switch (opcode) {
      case POP -> take(stack, 1);
      case POP2 -> take(stack, 2);
      case SWAP -> {
        char b = stack.remove(top - 1);
        stack.add(top - 2, b);
      }
      default -> {
        int copied = opcode >= DUP2 ? 2 : 1;
        int below = switch (opcode) {
          case DUP_X1, DUP2_X1 -> 1;
          case DUP_X2, DUP2_X2 -> 2;
          default -> 0;
        };
        List<Character> values = take(stack, copied);
        List<Character> under = take(stack, below);
        stack.addAll(values);
        stack.addAll(under);
        stack.addAll(values);
      }
    }
  }

  private static List<Character> take(List<Character> stack, int words) {
    List<Character> taken = new ArrayList<>();
    while (words > 0) {
      char type = stack.remove(stack.size() - 1);
      words -= ProgramClass.size(type);
      taken.add(0, type);
    }
    return taken;
  }

  static void load(MethodVisitor code, char type, int index) {
    code.visitVarInsn(ILOAD + "IJFDA".indexOf(type), index);
  }

  static void store(MethodVisitor code, char type, int index) {
    code.visitVarInsn(ISTORE + "IJFDA".indexOf(type), index);
  }

  private static int returnOf(char type) {
    return IRETURN + "IJFDA".indexOf(type);
  }

  /** The short forms, the plain one and the wide one of every load and store, and iinc in both sizes. */
  private void locals() {
    for (char type : "IJFDA".toCharArray()) {
      out.test("t_locals_" + type, code -> {
        for (int index : new int[] {0, 1, 2, 3, 4, 255, 256, 300, 1000}) {
          push(code, sample(type, index));
          store(code, type, index);
          load(code, type, index);
          load(code, type, index);
          sink(code, type);
          sink(code, type);
        }
        code.visitInsn(RETURN);
      });
    }
    out.test("t_iinc", code -> {
      for (int index : new int[] {0, 255, 256, 1000}) {
        for (int by : new int[] {1, -128, 127, 128, -32768, 32767}) {
          push(code, 17);
          store(code, 'I', index);
          code.visitIincInsn(index, by);
          load(code, 'I', index);
          sink(code, 'I');
        }
      }
      code.visitInsn(RETURN);
    });
  }

  private void arrays() {
    // opcode offset from IALOAD/IASTORE, newarray's operand, the element's type on the stack
    Object[][] kinds = {{0, T_INT, 'I'}, {1, T_LONG, 'J'}, {2, T_FLOAT, 'F'}, {3, T_DOUBLE, 'D'}, {4, -1, 'A'},
        {5, T_BYTE, 'I'}, {5, T_BOOLEAN, 'I'}, {6, T_CHAR, 'I'}, {7, T_SHORT, 'I'}};
    for (Object[] kind : kinds) {
      int offset = (Integer) kind[0];
      int operand = (Integer) kind[1];
      char type = (Character) kind[2];
      out.test("t_array_" + offset + "_" + Math.abs(operand), code -> {
        for (int size : new int[] {3, 0}) {
          Label start = new Label();
          Label end = new Label();
          Label handler = new Label();
          Label next = new Label();
          code.visitTryCatchBlock(start, end, handler, "java/lang/RuntimeException");
          push(code, size);
          if (operand < 0) {
            code.visitTypeInsn(ANEWARRAY, "java/lang/String");
          } else {
            code.visitIntInsn(NEWARRAY, operand);
          }
          code.visitVarInsn(ASTORE, 1);
          code.visitLabel(start);
          code.visitVarInsn(ALOAD, 1);
          code.visitInsn(ARRAYLENGTH);
          sink(code, 'I');
          code.visitVarInsn(ALOAD, 1);
          push(code, 2);
          push(code, type == 'I' ? (Object) 70000 : sample(type, 2));
          code.visitInsn(IASTORE + offset);
          code.visitVarInsn(ALOAD, 1);
          push(code, 2);
          code.visitInsn(IALOAD + offset);
          sink(code, type);
          code.visitJumpInsn(GOTO, next);
          code.visitLabel(end);
          code.visitLabel(handler);
          sink(code, 'A');
          code.visitLabel(next);
        }
        code.visitInsn(RETURN);
      });
    }
    out.test("t_multianewarray", code -> {
      push(code, 2);
      push(code, 3);
      code.visitMultiANewArrayInsn("[[[J", 2);
      code.visitInsn(DUP);
      code.visitInsn(ARRAYLENGTH);
      sink(code, 'I');
      push(code, 1);
      code.visitInsn(AALOAD);
      code.visitInsn(ARRAYLENGTH);
      sink(code, 'I');
      push(code, -1);
      push(code, 1);
      code.visitMultiANewArrayInsn("[[I", 2);
      code.visitInsn(POP);
      code.visitInsn(RETURN);
    });
    out.test("t_null_array", code -> {
      code.visitInsn(ACONST_NULL);
      out.line(code);
      code.visitInsn(ARRAYLENGTH);
      sink(code, 'I');
      code.visitInsn(RETURN);
    });
  }

  private void objects() {
    for (char type : "IJFDA".toCharArray()) {
      String descriptor = type == 'A' ? "Ljava/lang/Object;" : String.valueOf(type);
      out.writer.visitField(ACC_STATIC, "s" + type, descriptor, null, null);
      out.writer.visitField(0, "f" + type, descriptor, null, null);
      out.test("t_fields_" + type, code -> {
        push(code, sample(type, 1));
        code.visitFieldInsn(PUTSTATIC, out.name, "s" + type, descriptor);
        code.visitFieldInsn(GETSTATIC, out.name, "s" + type, descriptor);
        sink(code, type);
        code.visitTypeInsn(NEW, out.name);
        code.visitInsn(DUP);
        code.visitMethodInsn(INVOKESPECIAL, out.name, "<init>", "()V", false);
        code.visitInsn(DUP);
        push(code, sample(type, 2));
        code.visitFieldInsn(PUTFIELD, out.name, "f" + type, descriptor);
        code.visitFieldInsn(GETFIELD, out.name, "f" + type, descriptor);
        sink(code, type);
        code.visitInsn(ACONST_NULL);
        code.visitTypeInsn(CHECKCAST, out.name);
        out.line(code);
        code.visitFieldInsn(GETFIELD, out.name, "f" + type, descriptor);
        sink(code, type);
        code.visitInsn(RETURN);
      });
    }
    out.method(ACC_PUBLIC, "<init>", "()V", code -> {
      code.visitVarInsn(ALOAD, 0);
      code.visitMethodInsn(INVOKESPECIAL, "java/lang/Object", "<init>", "()V", false);
      code.visitInsn(RETURN);
    });
    out.method(ACC_PUBLIC, "mixed", "(IJFDLjava/lang/Object;S)D", code -> {
      load(code, 'I', 1);
      sink(code, 'I');
      load(code, 'J', 2);
      sink(code, 'J');
      load(code, 'F', 4);
      sink(code, 'F');
      load(code, 'A', 7);
      sink(code, 'A');
      load(code, 'I', 8);
      sink(code, 'I');
      load(code, 'D', 5);
      code.visitInsn(DRETURN);
    });
    out.test("t_invokes", code -> {
      code.visitTypeInsn(NEW, out.name);
      code.visitInsn(DUP);
      code.visitMethodInsn(INVOKESPECIAL, out.name, "<init>", "()V", false);
      for (Object value : new Object[] {1, 2L, 3f, 4d, "five", 6}) push(code, value);
      code.visitMethodInsn(INVOKEVIRTUAL, out.name, "mixed", "(IJFDLjava/lang/Object;S)D", false);
      sink(code, 'D');
      code.visitLdcInsn("interface");
      push(code, 3);
      code.visitMethodInsn(INVOKEINTERFACE, "java/lang/CharSequence", "charAt", "(I)C", true);
      sink(code, 'I');
      code.visitInsn(ACONST_NULL);
      code.visitTypeInsn(CHECKCAST, "java/lang/CharSequence");
      out.line(code);
      code.visitMethodInsn(INVOKEINTERFACE, "java/lang/CharSequence", "length", "()I", true);
      sink(code, 'I');
      code.visitInsn(RETURN);
    });
    out.test("t_casts", code -> {
      code.visitLdcInsn("text");
      code.visitTypeInsn(INSTANCEOF, "java/lang/Integer");
      sink(code, 'I');
      code.visitLdcInsn("text");
      code.visitTypeInsn(INSTANCEOF, "java/lang/CharSequence");
      sink(code, 'I');
      code.visitInsn(ACONST_NULL);
      code.visitTypeInsn(CHECKCAST, "java/lang/Integer");
      sink(code, 'A');
      code.visitLdcInsn("text");
      out.line(code);
      code.visitTypeInsn(CHECKCAST, "java/lang/Integer");
      sink(code, 'A');
      code.visitInsn(RETURN);
    });
    out.test("t_monitors", code -> {
      code.visitLdcInsn("lock");
      code.visitVarInsn(ASTORE, 0);
      for (int i = 0; i < 3; i++) {
        code.visitVarInsn(ALOAD, 0);
        code.visitInsn(MONITORENTER);
      }
      push(code, 1);
      sink(code, 'I');
      for (int i = 0; i < 3; i++) {
        code.visitVarInsn(ALOAD, 0);
        code.visitInsn(MONITOREXIT);
      }
      code.visitInsn(ACONST_NULL);
      out.line(code);
      code.visitInsn(MONITORENTER);
      code.visitInsn(RETURN);
    });
    out.test("t_athrow", code -> {
      code.visitTypeInsn(NEW, "java/lang/IllegalStateException");
      code.visitInsn(DUP);
      code.visitLdcInsn("thrown");
      out.line(code);
      code.visitMethodInsn(INVOKESPECIAL, "java/lang/IllegalStateException", "<init>", "(Ljava/lang/String;)V",
          false);
      code.visitInsn(ATHROW);
    });
  }

  private void returns() {
    for (char type : "IJFDA".toCharArray()) {
      String descriptor = type == 'A' ? "Ljava/lang/Object;" : String.valueOf(type);
      out.method(ACC_PUBLIC | ACC_STATIC, "t_return_" + type, "()" + descriptor, code -> {
        code.visitLdcInsn(7L);  // left on the stack, as the specification allows
        push(code, sample(type, 3));
        code.visitInsn(returnOf(type));
      });
    }
  }
}
