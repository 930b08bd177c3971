package generator;

import static generator.ProgramClass.push;
import static generator.ProgramClass.sink;
import static generator.ProgramClass.tick;
import static org.objectweb.asm.Opcodes.*;

import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.Label;
import org.objectweb.asm.MethodVisitor;

/** Control flow that javac does not emit: unusual handlers, loops and switches, unreachable code. */
final class FlowPrograms {
  private static final String THROWABLE = "java/lang/Throwable";

  private FlowPrograms() {}

  static byte[] all(String name, int version) {
    ProgramClass out = new ProgramClass(name, version);
    handlers(out);
    loops(out);
    switches(out);
    ConstructorPrograms.addTo(out);
    valuesAcrossBranches(out);
    return out.finish();
  }

  static void raise(MethodVisitor code, String type) {
    code.visitTypeInsn(NEW, type);
    code.visitInsn(DUP);
    code.visitMethodInsn(INVOKESPECIAL, type, "<init>", "()V", false);
    code.visitInsn(ATHROW);
  }

  private static void handlers(ProgramClass out) {
    out.test("t_handler_is_try_start", code -> {
      Label start = new Label();
      Label end = new Label();
      Label leave = new Label();
      code.visitTryCatchBlock(start, end, start, THROWABLE);
      code.visitInsn(ACONST_NULL);
      code.visitTypeInsn(CHECKCAST, THROWABLE);
      code.visitLabel(start);
      sink(code, 'A');
      tick(code, 3);
      code.visitJumpInsn(IFEQ, leave);
      raise(code, "java/lang/IllegalStateException");
      code.visitLabel(end);
      code.visitLabel(leave);
      code.visitInsn(RETURN);
    });
    out.test("t_handler_covers_itself", code -> {
      Label start = new Label();
      Label handler = new Label();
      Label end = new Label();
      Label leave = new Label();
      code.visitTryCatchBlock(start, end, handler, null);
      code.visitLabel(start);
      raise(code, "java/lang/IllegalStateException");
      code.visitLabel(handler);
      sink(code, 'A');
      tick(code, 4);
      code.visitJumpInsn(IFEQ, leave);
      raise(code, "java/lang/UnsupportedOperationException");
      code.visitLabel(end);
      code.visitLabel(leave);
      code.visitInsn(RETURN);
    });
    out.test("t_handlers_overlap", code -> {
      // [a, c) -> first, [b, d) -> second; in [b, c) the first in the table wins.
      Label a = new Label();
      Label b = new Label();
      Label c = new Label();
      Label d = new Label();
      Label first = new Label();
      Label second = new Label();
      Label again = new Label();
      code.visitTryCatchBlock(a, c, first, "java/lang/IllegalStateException");
      code.visitTryCatchBlock(b, d, second, "java/lang/RuntimeException");
      push(code, 0);
      code.visitVarInsn(ISTORE, 0);
      code.visitLabel(again);
      code.visitIincInsn(0, 1);
      for (Label region : new Label[] {a, b, c}) {
        int number = region == a ? 1 : region == b ? 2 : 3;
        code.visitLabel(region);
        push(code, number);
        sink(code, 'I');
        Label skip = new Label();
        code.visitVarInsn(ILOAD, 0);
        push(code, number);
        code.visitJumpInsn(IF_ICMPNE, skip);
        raise(code, number == 3 ? "java/lang/UnsupportedOperationException" : "java/lang/IllegalStateException");
        code.visitLabel(skip);
      }
      code.visitLabel(d);
      code.visitInsn(RETURN);
      code.visitLabel(first);
      push(code, 100);
      sink(code, 'I');
      code.visitInsn(POP);
      code.visitJumpInsn(GOTO, again);
      code.visitLabel(second);
      push(code, 200);
      sink(code, 'I');
      code.visitInsn(POP);
      code.visitJumpInsn(GOTO, again);
    });
    out.test("t_handlers_nest", code -> {
      Label outer = new Label();
      Label inner = new Label();
      Label innerEnd = new Label();
      Label outerEnd = new Label();
      Label innerHandler = new Label();
      Label outerHandler = new Label();
      code.visitTryCatchBlock(inner, innerEnd, innerHandler, "java/lang/IllegalStateException");
      code.visitTryCatchBlock(outer, outerEnd, outerHandler, null);
      code.visitLdcInsn(5L);
      code.visitVarInsn(LSTORE, 3);
      code.visitLabel(outer);
      push(code, 1);
      sink(code, 'I');
      code.visitLabel(inner);
      raise(code, "java/lang/IllegalStateException");
      code.visitLabel(innerEnd);
      code.visitLabel(innerHandler);
      sink(code, 'A');
      code.visitVarInsn(LLOAD, 3);
      sink(code, 'J');
      raise(code, "java/lang/IllegalArgumentException");
      code.visitLabel(outerEnd);
      code.visitLabel(outerHandler);
      sink(code, 'A');
      code.visitVarInsn(LLOAD, 3);
      sink(code, 'J');
      code.visitInsn(RETURN);
    });
    out.test("t_handler_before_its_range", code -> {
      Label handler = new Label();
      Label body = new Label();
      Label end = new Label();
      code.visitTryCatchBlock(body, end, handler, "java/lang/RuntimeException");
      code.visitJumpInsn(GOTO, body);
      code.visitLabel(handler);
      sink(code, 'A');
      code.visitInsn(RETURN);
      code.visitLabel(body);
      push(code, 1);
      sink(code, 'I');
      raise(code, "java/lang/IllegalStateException");
      code.visitLabel(end);  // the range ends where the code ends
    });
    out.test("t_handler_reached_by_branch", code -> {
      Label start = new Label();
      Label end = new Label();
      Label handler = new Label();
      code.visitTryCatchBlock(start, end, handler, THROWABLE);
      code.visitLabel(start);
      tick(code, 2);
      Label normal = new Label();
      code.visitJumpInsn(IFEQ, normal);
      raise(code, "java/lang/IllegalStateException");
      code.visitLabel(normal);
      code.visitInsn(ACONST_NULL);
      code.visitTypeInsn(CHECKCAST, THROWABLE);
      code.visitLabel(end);
      code.visitJumpInsn(GOTO, handler);
      code.visitLabel(handler);
      sink(code, 'A');
      Label leave = new Label();
      tick(code, 4);
      code.visitJumpInsn(IFEQ, leave);
      code.visitJumpInsn(GOTO, start);
      code.visitLabel(leave);
      code.visitInsn(RETURN);
    });
    out.test("t_two_handlers_one_target", code -> {
      Label a = new Label();
      Label b = new Label();
      Label c = new Label();
      Label handler = new Label();
      code.visitTryCatchBlock(a, b, handler, "java/lang/IllegalStateException");
      code.visitTryCatchBlock(b, c, handler, "java/lang/IllegalArgumentException");
      code.visitLabel(a);
      tick(code, 1);
      code.visitJumpInsn(IFEQ, b);
      raise(code, "java/lang/IllegalStateException");
      code.visitLabel(b);
      tick(code, 3);
      Label leave = new Label();
      code.visitJumpInsn(IFEQ, leave);
      raise(code, "java/lang/IllegalArgumentException");
      code.visitLabel(c);
      code.visitLabel(handler);
      sink(code, 'A');
      code.visitJumpInsn(GOTO, a);
      code.visitLabel(leave);
      code.visitInsn(RETURN);
    });
  }

  private static void loops(ProgramClass out) {
    out.method(ACC_STATIC, "backToZero", "(I)V", code -> {
      // So far, ASM has only emitted a line number: the branch goes to bytecode 0.
      Label zero = new Label();
      code.visitLabel(zero);
      code.visitIincInsn(0, -1);
      code.visitVarInsn(ILOAD, 0);
      sink(code, 'I');
      code.visitVarInsn(ILOAD, 0);
      code.visitJumpInsn(IFGT, zero);
      code.visitInsn(RETURN);
    });
    out.test("t_branch_to_zero", code -> {
      push(code, 5);
      code.visitMethodInsn(INVOKESTATIC, out.name, "backToZero", "(I)V", false);
      code.visitInsn(RETURN);
    });
    out.test("t_loop_without_exit", code -> {
      Label loop = new Label();
      code.visitLabel(loop);
      out.line(code);
      push(code, 7);
      code.visitMethodInsn(INVOKESTATIC, ProgramClass.SINK, "tickOrThrow", "(I)V", false);
      push(code, 1);
      sink(code, 'I');
      code.visitJumpInsn(GOTO, loop);
    });
    out.test("t_goto_next", code -> {
      for (int i = 0; i < 3; i++) {
        Label next = new Label();
        code.visitJumpInsn(GOTO, next);
        code.visitLabel(next);
        push(code, i);
        sink(code, 'I');
      }
      Label same = new Label();
      push(code, 1);
      code.visitJumpInsn(IFNE, same);  // both edges have the same target
      code.visitLabel(same);
      code.visitInsn(RETURN);
    });
    out.method(ACC_STATIC, "selfLoop", "()V", code -> {
      Label self = new Label();
      code.visitLabel(self);
      push(code, 3);
      code.visitMethodInsn(INVOKESTATIC, ProgramClass.SINK, "tick", "(I)Z", false);
      code.visitJumpInsn(IFNE, self);
      code.visitInsn(RETURN);
    });
    out.test("t_self_loop", code -> {
      code.visitMethodInsn(INVOKESTATIC, out.name, "selfLoop", "()V", false);
      push(code, 1);
      sink(code, 'I');
      code.visitInsn(RETURN);
    });
    out.test("t_irreducible", code -> {
      // Two entries into one loop.
      Label left = new Label();
      Label right = new Label();
      Label leave = new Label();
      push(code, 0);
      code.visitVarInsn(ISTORE, 0);
      tick(code, 1);
      code.visitJumpInsn(IFEQ, right);
      code.visitLabel(left);
      push(code, 1);
      sink(code, 'I');
      code.visitIincInsn(0, 1);
      code.visitVarInsn(ILOAD, 0);
      push(code, 6);
      code.visitJumpInsn(IF_ICMPGE, leave);
      code.visitLabel(right);
      push(code, 2);
      sink(code, 'I');
      code.visitIincInsn(0, 1);
      code.visitJumpInsn(GOTO, left);
      code.visitLabel(leave);
      code.visitInsn(RETURN);
    });
  }

  private static void switches(ProgramClass out) {
    int[] probes = {Integer.MIN_VALUE, -100, -3, -2, -1, 0, 1, 2, 3, 4, 5, 99, 100, Integer.MAX_VALUE};
    for (int padding = 0; padding < 4; padding++) {
      int nops = padding;
      out.method(ACC_STATIC, "table" + padding, "(I)I", code -> {
        for (int i = 0; i < nops; i++) code.visitInsn(NOP);
        Label[] labels = {new Label(), new Label(), new Label(), new Label(), new Label()};
        Label other = new Label();
        // Holes (to the default) and two cases with one target.
        code.visitVarInsn(ILOAD, 0);
        code.visitTableSwitchInsn(-2, 4, other, labels[0], labels[1], other, labels[2], labels[2], labels[3],
            labels[4]);
        cases(code, labels, other);
      });
      out.method(ACC_STATIC, "lookup" + padding, "(I)I", code -> {
        for (int i = 0; i < nops; i++) code.visitInsn(NOP);
        Label[] labels = {new Label(), new Label(), new Label()};
        Label other = new Label();
        code.visitVarInsn(ILOAD, 0);
        code.visitLookupSwitchInsn(other, new int[] {Integer.MIN_VALUE, -3, 5, 100, Integer.MAX_VALUE},
            new Label[] {labels[0], labels[1], labels[0], other, labels[2]});
        cases(code, labels, other);
      });
      for (String kind : new String[] {"table", "lookup"}) {
        out.test("t_switch_" + kind + padding, code -> {
          for (int value : probes) {
            push(code, value);
            code.visitMethodInsn(INVOKESTATIC, out.name, kind + nops, "(I)I", false);
            sink(code, 'I');
          }
          code.visitInsn(RETURN);
        });
      }
    }
    out.test("t_switch_without_cases", code -> {
      Label only = new Label();
      push(code, 5);
      code.visitLookupSwitchInsn(only, new int[0], new Label[0]);
      code.visitLabel(only);
      Label onlyAgain = new Label();
      push(code, 6);
      code.visitTableSwitchInsn(6, 6, onlyAgain, onlyAgain);
      code.visitLabel(onlyAgain);
      code.visitInsn(RETURN);
    });
    out.test("t_switch_backwards", code -> {
      Label again = new Label();
      Label leave = new Label();
      push(code, 0);
      code.visitVarInsn(ISTORE, 0);
      code.visitLabel(again);
      code.visitIincInsn(0, 1);
      code.visitVarInsn(ILOAD, 0);
      sink(code, 'I');
      code.visitVarInsn(ILOAD, 0);
      code.visitTableSwitchInsn(1, 4, leave, again, again, again, leave);
      code.visitLabel(leave);
      code.visitInsn(RETURN);
    });
  }

  private static void cases(MethodVisitor code, Label[] labels, Label other) {
    for (int i = 0; i < labels.length; i++) {
      code.visitLabel(labels[i]);
      push(code, 10 + i);
      if (i % 2 == 0) {
        code.visitInsn(IRETURN);
      } else {
        code.visitInsn(POP);  // falls through into the next case
      }
    }
    code.visitLabel(other);
    push(code, -1);
    code.visitInsn(IRETURN);
  }

  private static void valuesAcrossBranches(ProgramClass out) {
    out.test("t_stack_across_branches", code -> {
      for (int round = 0; round < 2; round++) {
        Label other = new Label();
        Label join = new Label();
        for (Object below : new Object[] {1, 2L, 3f, 4d, "five"}) push(code, below);
        tick(code, 1);
        code.visitJumpInsn(IFNE, other);
        code.visitLdcInsn(6L);
        code.visitJumpInsn(GOTO, join);
        code.visitLabel(other);
        code.visitLdcInsn(7L);
        code.visitLabel(join);
        for (char type : "JADFJI".toCharArray()) sink(code, type);
      }
      code.visitInsn(RETURN);
    });
  }

  /** Unreachable code with frames (from version 50 on) or without (before), which the verifier then skips. */
  static byte[] unreachable(String name, int version) {
    ProgramClass out = new ProgramClass(name, version, ClassWriter.COMPUTE_MAXS);
    out.test("t_unreachable", code -> {
      push(code, 1L);  // ASM counts the stack of reachable code only
      sink(code, 'J');
      code.visitInsn(RETURN);
      Label dead = new Label();
      code.visitLabel(dead);
      if (ProgramClass.hasFrames(version)) code.visitFrame(F_NEW, 0, null, 1, new Object[] {LONG});
      if (ProgramClass.hasFrames(version)) {
        sink(code, 'J');
      } else {
        code.visitInsn(NOP);
      }
      Label loop = new Label();
      code.visitLabel(loop);
      if (ProgramClass.hasFrames(version)) code.visitFrame(F_NEW, 0, null, 0, null);
      code.visitJumpInsn(GOTO, loop);
    });
    out.test("t_dead_handler", code -> {
      // A handler over an unreachable range.
      Label start = new Label();
      Label end = new Label();
      Label handler = new Label();
      code.visitTryCatchBlock(start, end, handler, null);
      Label live = new Label();
      code.visitJumpInsn(GOTO, live);
      code.visitLabel(start);
      if (ProgramClass.hasFrames(version)) code.visitFrame(F_NEW, 0, null, 0, null);
      code.visitInsn(NOP);
      code.visitInsn(RETURN);
      code.visitLabel(end);
      code.visitLabel(handler);
      if (ProgramClass.hasFrames(version)) code.visitFrame(F_NEW, 0, null, 1, new Object[] {THROWABLE});
      code.visitInsn(ATHROW);
      code.visitLabel(live);
      if (ProgramClass.hasFrames(version)) code.visitFrame(F_NEW, 0, null, 0, null);
      push(code, 2);
      sink(code, 'I');
      code.visitInsn(RETURN);
    });
    return out.finish();
  }
}
