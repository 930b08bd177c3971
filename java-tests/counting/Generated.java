package counting;

import java.lang.reflect.Method;

/** Classes generated at run time with code that no compiler emits, and one class name in two loaders. */
public final class Generated {
  private static final int LOAD_0 = 0x1a, LOAD_1 = 0x1b, STORE_1 = 0x3c, STORE_2 = 0x3d, LOAD_2 = 0x1c;
  private static final int CONST_0 = 3, CONST_1 = 4, RETURN = 0xac, GOTO = 0xa7, JSR = 0xa8, RET = 0xa9;

  static final class Loader extends ClassLoader {
    Loader() {
      super(Generated.class.getClassLoader());
    }

    Class<?> define(String name, byte[] bytes) {
      return defineClass(name, bytes, 0, bytes.length);
    }
  }

  private static int thrown;

  /** Called from generated code: throws when x is 0. */
  public static int step(int x) {
    if (x == 0) { // @step
      thrown++;
      throw new Exceptions.Boom(0);
    }
    return x - 1;
  }

  private static int call(Class<?> type, String method, int x) throws Exception {
    return (Integer) find(type, method).invoke(null, x);
  }

  private static Method find(Class<?> type, String method) throws Exception {
    return type.getMethod(method, int.class);
  }

  private static final int TIMES = 200;

  /** Branches whose target is the next instruction: one record with the sum of the two edges. */
  private static void targetIsNext(Expect e) throws Exception {
    ByteCode b = new ByteCode("counting.made.Next");
    ByteCode.Code c = b.code();
    int[] at = new int[6];
    ByteCode.Label[] next = new ByteCode.Label[6];
    for (int i = 0; i < 6; i++) { // ifeq .. ifle
      next[i] = new ByteCode.Label();
      c.op(LOAD_0);
      at[i] = c.jump(0x99 + i, next[i]);
      c.bind(next[i]);
    }
    c.op(LOAD_0, RETURN);
    b.method("all", "(I)I", 1, 1, c);
    Class<?> made = new Loader().define("counting.made.Next", b.finish());
    for (int i = 0; i < TIMES; i++) call(made, "all", i % 5 - 1);
    e.calls("counting.made.Next", "all(I)I", TIMES);
    for (int i = 0; i < 6; i++) e.atSwitch("counting.made.Next", "all(I)I", at[i], next[i].bci + ":" + TIMES);
  }

  private static void oddSwitches(Expect e) throws Exception {
    String name = "counting.made.Switches";
    ByteCode b = new ByteCode(name);
    ByteCode.Label end = new ByteCode.Label();
    ByteCode.Code same = b.code().op(LOAD_0);
    int sameAt = same.tableSwitch(-2, end, end, end, end);
    same.bind(end).op(LOAD_0, RETURN);
    b.method("same", "(I)I", 1, 1, same);

    ByteCode.Label only = new ByteCode.Label();
    ByteCode.Code empty = b.code().op(LOAD_0);
    int emptyAt = empty.lookupSwitch(new int[0], only);
    empty.op(CONST_0, RETURN).bind(only).op(CONST_1, RETURN);
    b.method("empty", "(I)I", 1, 1, empty);

    // Backwards, into itself: counts down to zero, two steps for odd numbers.
    ByteCode.Label again = new ByteCode.Label();
    ByteCode.Label two = new ByteCode.Label();
    ByteCode.Label done = new ByteCode.Label();
    ByteCode.Code back = b.code();
    ByteCode.Label loop = new ByteCode.Label();
    back.bind(loop).op(LOAD_0);
    int backAt = back.lookupSwitch(new int[] {Integer.MIN_VALUE, 0, 7, Integer.MAX_VALUE}, again, done, done, two, done);
    back.bind(two).op(0x84, 0, 0xff); // iinc 0 -1
    back.bind(again).op(0x84, 0, 0xff);
    back.jump(GOTO, loop);
    back.bind(done).op(LOAD_0, RETURN);
    b.method("back", "(I)I", 1, 1, back);

    Class<?> made = new Loader().define(name, b.finish());
    for (int i = 0; i < TIMES; i++) {
      call(made, "same", i % 10 - 5);
      call(made, "empty", i);
      call(made, "back", i % 2 == 0 ? 5 : 10);
    }
    e.calls(name, "same(I)I", TIMES);
    e.atSwitch(name, "same(I)I", sameAt, end.bci + ":" + TIMES);
    e.calls(name, "empty(I)I", TIMES);
    e.atSwitch(name, "empty(I)I", emptyAt, only.bci + ":" + TIMES);
    long half = TIMES / 2;
    // From 5: five steps by default. From 10: 10 9 8, then 7 by two, then 5 4 3 2 1.
    e.atSwitch(name, "back(I)I", backAt,
        done.bci + ":" + TIMES + " " + two.bci + ":" + half + " " + again.bci + ":" + (5 * half + 8 * half));
  }

  /** A subroutine with a branch, called from two places; goto_w; a wide iinc; more than 255 locals. */
  private static void subroutines(Expect e) throws Exception {
    String name = "counting.made.Old";
    ByteCode b = new ByteCode(name);
    ByteCode.Code c = b.code();
    ByteCode.Label sub = new ByteCode.Label();
    ByteCode.Label skip = new ByteCode.Label();
    ByteCode.Label far = new ByteCode.Label();
    c.op(CONST_0, STORE_1);
    c.jump(JSR, sub);
    c.op(LOAD_0);
    int first = c.jump(0x9b, far); // iflt
    c.jump(JSR, sub);
    c.bind(far);
    ByteCode.Label out = new ByteCode.Label();
    c.wideJump(200, out);
    c.op(CONST_0, RETURN); // dead
    c.bind(sub).op(STORE_2_REF); // the return address
    c.op(LOAD_0);
    int inner = c.jump(0x9a, skip); // ifne
    c.op(0xc4, 0x84).u2(1).u2(300); // wide iinc 1 300
    c.bind(skip).op(0x84, 1, 1);
    c.op(RET, 2);
    c.bind(out);
    c.op(LOAD_1, 0xc4, 0x36).u2(400); // wide istore 400
    c.op(0xc4, 0x15).u2(400).op(RETURN);
    b.method("sub", "(I)I", 1, 401, c);
    Class<?> made = new Loader().define(name, b.finish());
    long sum = 0;
    for (int i = 0; i < TIMES; i++) sum += call(made, "sub", i % 4 - 1);
    long quarter = TIMES / 4;
    if (sum != quarter * (1 + 602 + 2 + 2)) throw new AssertionError("sub gives " + sum);
    e.calls(name, "sub(I)I", TIMES);
    e.at(name, "sub(I)I", first, quarter, 3 * quarter);
    e.at(name, "sub(I)I", inner, quarter + 4 * quarter, 2 * quarter);
  }

  private static final int STORE_2_REF = 0x4d;

  /** The only way out is an exception: the loop has no edge to any exit. */
  private static void endless(Expect e) throws Exception {
    String name = "counting.made.Endless";
    ByteCode b = new ByteCode(name);
    ByteCode.Code c = b.code();
    ByteCode.Label loop = new ByteCode.Label();
    ByteCode.Label odd = new ByteCode.Label();
    c.bind(loop).op(LOAD_0).invokeStatic("counting/Generated", "step", "(I)I").op(0x3b); // istore_0
    c.op(LOAD_0, CONST_1, 0x7e); // iand
    int parity = c.jump(0x9a, odd);
    c.jump(GOTO, loop);
    c.bind(odd);
    c.jump(GOTO, loop);
    b.method("endless", "(I)I", 2, 1, c);

    // The same with a handler inside the range that it protects.
    ByteCode.Code h = b.code();
    ByteCode.Label from = new ByteCode.Label();
    ByteCode.Label to = new ByteCode.Label();
    ByteCode.Label handler = new ByteCode.Label();
    ByteCode.Label zero = new ByteCode.Label();
    h.bind(from).op(LOAD_0).invokeStatic("counting/Generated", "step", "(I)I").op(0x3b);
    h.jump(GOTO, from);
    h.bind(handler).op(0x57, LOAD_0); // pop
    int caught = h.jump(0x99, zero);
    h.op(CONST_1, RETURN);
    h.bind(zero).op(CONST_0, RETURN);
    h.bind(to);
    h.handler(from, to, handler);
    b.method("handled", "(I)I", 1, 1, h);

    Class<?> made = new Loader().define(name, b.finish());
    for (int i = 0; i < TIMES; i++) {
      try {
        call(made, "endless", 10);
      } catch (java.lang.reflect.InvocationTargetException expected) {
        if (!(expected.getCause() instanceof Exceptions.Boom)) throw expected;
      }
      call(made, "handled", 10);
    }
    e.calls(name, "endless(I)I", TIMES);
    e.at(name, "endless(I)I", parity, 5L * TIMES, 5L * TIMES);
    e.abrupt(name, "endless(I)I", TIMES);
    e.calls(name, "handled(I)I", TIMES);
    e.at(name, "handled(I)I", caught, TIMES, 0);
    e.abrupt(name, "handled(I)I", TIMES);
  }

  /**
   * Big methods: branches that span nearly 32 KiB, and code near the limit of 64 KiB. They may be left alone; counts
   * are never wrong.
   */
  private static void big() throws Exception {
    for (int size : new int[] {7000, 7990, 9000, 32000, 65000}) {
      String name = "counting.made.Big" + size;
      ByteCode b = new ByteCode(name);
      ByteCode.Code c = b.code();
      ByteCode.Label end = new ByteCode.Label();
      c.op(LOAD_0);
      int over = size < 32700 ? c.jump(0x9e, end) : -1; // ifle over nearly everything
      if (over < 0) c.op(0x57);
      while (c.bci() < size - 20) {
        ByteCode.Label next = new ByteCode.Label();
        c.op(LOAD_0, 0x11, 0, 9); // sipush 9
        c.jump(0xa1, next); // if_icmplt
        c.op(0x84, 0, 1);
        c.bind(next);
      }
      c.bind(end).op(LOAD_0, RETURN);
      b.method("big", "(I)I", 2, 1, c);
      Class<?> made = new Loader().define(name, b.finish());
      int branches = (size - 20) / 10;
      int r = call(made, "big", 10) + call(made, "big", 0);
      if (r < branches) throw new AssertionError(name + " gives " + r);
    }
  }

  /** The same class file in two loaders, and another class of the same name in a third. */
  private static void twoLoaders(Expect e) throws Exception {
    String name = "counting.made.Twice";
    int at = 0;
    for (int round = 0; round < 3; round++) {
      ByteCode b = new ByteCode(name);
      ByteCode.Code c = b.code();
      ByteCode.Label negative = new ByteCode.Label();
      c.op(LOAD_0);
      at = c.jump(0x9b, negative); // iflt
      c.op(CONST_0, RETURN).bind(negative).op(CONST_1, RETURN);
      b.method(round < 2 ? "twice" : "other", "(I)I", 1, 1, c);
      Class<?> made = new Loader().define(name, b.finish());
      for (int i = 0; i < 100; i++) call(made, round < 2 ? "twice" : "other", i - 10 * (round + 1));
    }
    e.calls(name, "twice(I)I", 200);
    e.at(name, "twice(I)I", at, 30, 170);
    e.calls(name, "other(I)I", 100);
    e.at(name, "other(I)I", at, 30, 70);
  }

  /**
   * The JVM allows locking an object before its constructor has run, but not passing it to a call, and so to a probe.
   */
  private static void lockedBeforeMade(Expect e) throws Exception {
    String name = "counting.made.Unmade";
    ByteCode b = new ByteCode(name).version(61);
    ByteCode.Code c = b.code();
    c.typed(0xbb, "java/lang/Object");
    c.op(0x00, 0x59, 0x4c); // nop, dup, astore_1
    c.op(0x59, 0xc2, 0x59, 0xc3); // dup, monitorenter, dup, monitorexit
    c.invokeSpecial("java/lang/Object", "<init>", "()V");
    c.op(0x2b, 0x59, 0xc2, 0xc3); // aload_1, dup, monitorenter, monitorexit
    c.op(LOAD_0, RETURN);
    b.method("locks", "(I)I", 3, 2, c);
    Class<?> made = new Loader().define(name, b.finish());
    for (int i = 0; i < TIMES; i++) call(made, "locks", i);
    e.calls(name, "locks(I)I", TIMES);
  }

  /**
   * The JVM ignores the flags of a class initializer, and treats it as static in an old class: there is no `this`
   * to lock.
   */
  private static void synchronizedInitializer(Expect e) throws Exception {
    String name = "counting.made.Initialized";
    ByteCode b = new ByteCode(name);
    b.method(0x0020, "<clinit>", "()V", 0, 0, b.code().op(0xb1));
    b.method("same", "(I)I", 1, 1, b.code().op(LOAD_0, RETURN));
    call(new Loader().define(name, b.finish()), "same", 1);
    e.calls(name, "<clinit>()V", 1);
  }

  private static Expect mine;

  static void run() throws Exception {
    mine = new Expect(Generated.class);
    targetIsNext(mine);
    oddSwitches(mine);
    subroutines(mine);
    endless(mine);
    big();
    twoLoaders(mine);
    lockedBeforeMade(mine);
    synchronizedInitializer(mine);
  }

  static void expect() {
    mine.calls("step(I)I", 2L * TIMES * 11);
    mine.branch("step", 2L * TIMES * 10, thrown);
    mine.abrupt("step(I)I", thrown);
    mine.calls("targetIsNext(Lcounting/Expect;)V", 1);
    mine.calls("big()V", 1);
  }
}
