package counting;

import java.util.ArrayList;
import java.util.List;

/**
 * Runs the first code of new classes, thousands of branches in all, with no stack or no heap left. The same code must
 * run normally afterwards.
 */
public final class Starved {
  private static final int METHODS = 30;
  private static final int BRANCHES = 700;
  private static int bottom;

  private static Class<?> fresh(int number) {
    String name = "counting.made.Fresh" + number;
    ByteCode b = new ByteCode(name);
    for (int m = 0; m < METHODS; m++) {
      ByteCode.Code c = b.code();
      for (int i = 0; i < BRANCHES; i++) {
        ByteCode.Label next = new ByteCode.Label();
        c.op(0x1a); // iload_0
        c.jump(0x99, next); // ifeq
        c.op(0x84, 0, 1); // iinc 0 1
        c.bind(next);
      }
      c.op(0x1a, 0xac); // iload_0, ireturn
      b.method("run" + m, "(I)I", 1, 1, c);
    }
    return new Generated.Loader().define(name, b.finish());
  }

  /** Reflection is prepared before the stack or the heap is used up. */
  private interface Call {
    int run(int x) throws Throwable;
  }

  private static Call call(Class<?> type, int method) throws Exception {
    java.lang.invoke.MethodHandle handle = java.lang.invoke.MethodHandles.publicLookup().findStatic(
        type, "run" + method, java.lang.invoke.MethodType.methodType(int.class, int.class));
    return x -> (int) handle.invokeExact(x);
  }

  private static int down(Call call, int depth) throws Throwable {
    try {
      return down(call, depth + 1);
    } catch (StackOverflowError e) {
      bottom++;
      if (bottom > 200) throw e;
      try {
        return call.run(1);
      } catch (StackOverflowError again) {
        throw again;
      }
    }
  }

  private static void expect(Call call) throws Throwable {
    int r = call.run(1);
    if (r != 1 + BRANCHES) throw new AssertionError("gives " + r);
  }

  public static void main(String[] args) throws Throwable {
    boolean heap = args[0].equals("heap");
    List<Call> calls = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      Class<?> type = fresh(i);
      for (int m = 0; m < METHODS; m += 10) calls.add(call(type, m));
    }
    int failed = 0;
    if (heap) {
      List<byte[]> filling = new ArrayList<>(1 << 20);
      for (int size = 1 << 20; size > 16; ) {
        try {
          filling.add(new byte[size]);
        } catch (OutOfMemoryError e) {
          size /= 2;
        }
      }
      for (int i = 0; i < calls.size(); i++) { // an iterator would need heap
        try {
          calls.get(i).run(1);
        } catch (OutOfMemoryError e) {
          failed++;
        }
      }
      filling = null;
    } else {
      for (Call call : calls) {
        bottom = 0;
        try {
          down(call, 0);
        } catch (StackOverflowError e) {
          failed++;
        }
      }
    }
    for (Call call : calls) expect(call);
    System.out.println("starved " + calls.size() + " calls, all run afterwards");
  }
}
