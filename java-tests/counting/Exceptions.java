package counting;

import java.util.ArrayList;
import java.util.List;

/**
 * Exceptions thrown and caught at every depth. For each method it also counts how often an exception left one of its
 * blocks: derived counts may be off by at most that number; direct counts must be exact.
 */
@SuppressWarnings({"try", "serial"})
final class Exceptions {
  static final class Boom extends RuntimeException {
    final int depth;

    Boom(int depth) {
      super("boom", null, false, false);
      this.depth = depth;
    }
  }

  private static long deeps, thrown, tried, caught, unwound, returned;
  private static long finals, finalsThrown, finalsOdd, finalsOddThrown;
  private static long implicit, nulls, bounds, zeros, casts, sizes, none;
  private static long nestedCalls, innerCaught, outerCaught, rethrown;
  private static long resources, closed, closedOnThrow, bodyThrown;
  private static long overflowCalls, overflowEven, overflowCaught;
  private static long lockedCalls, lockedThrown;
  private static long constructed, constructorThrown;
  private static long initialised;
  private static long selfCalls, selfCaught;
  private static long sneakCalls, sneakLast;

  /** Throws at one depth and catches at another, so that any number of frames is unwound. */
  static int deep(int depth, int throwAt, int catchAt) {
    deeps++;
    if (depth == throwAt) { // @throwHere
      thrown++;
      throw new Boom(depth);
    }
    if (depth == catchAt) { // @catchHere
      tried++;
      try {
        return deep(depth + 1, throwAt, catchAt);
      } catch (Boom boom) {
        caught++;
        unwound += boom.depth - depth - 1;
        if (boom.depth == depth + 1) return 1; // @near
        return 2;
      }
    }
    if (depth >= 40) { // @bottom
      returned++;
      return 0;
    }
    int below = deep(depth + 1, throwAt, catchAt);
    return below + 1;
  }

  private static long nears;

  static int finallyBlock(int x) {
    finals++;
    int r = 0;
    try {
      if (x % 3 == 0) throw new Boom(x); // @finallyThrow
      r = 1;
    } finally {
      if ((x & 1) == 1) r++; // @finallyOdd
      FINALLY_SINK[0] += r;
    }
    return r;
  }

  private static final int[] FINALLY_SINK = new int[1];

  /** Exceptions that the VM throws. */
  static int implicit(Object o, int[] a, int i) {
    implicit++;
    try {
      int r = a[i] / i;
      String s = (String) o;
      int[] made = new int[i - 3];
      if (s.length() > made.length) none++; else none++; // @survived
      return r;
    } catch (NullPointerException e) {
      nulls++;
      return 1;
    } catch (ArrayIndexOutOfBoundsException e) {
      bounds++;
      return 2;
    } catch (ArithmeticException e) {
      zeros++;
      return 3;
    } catch (ClassCastException e) {
      casts++;
      return 4;
    } catch (NegativeArraySizeException e) {
      sizes++;
      return 5;
    }
  }

  static int nested(int x) {
    nestedCalls++;
    try {
      try {
        if (x % 2 == 0) throw new Boom(x); // @nestedInner
      } catch (Boom boom) {
        innerCaught++;
        if (x % 4 == 0) { // @nestedRethrow
          rethrown++;
          throw boom;
        }
      }
    } catch (Boom boom) {
      outerCaught++;
      return 1;
    }
    return 0;
  }

  static final class Resource implements AutoCloseable {
    Resource() {
      resources++;
    }

    @Override
    public void close() {
      closed++;
      if (inFlight) closedOnThrow++; // @close
    }
  }

  private static boolean inFlight;

  static int resource(int x) {
    try (Resource resource = new Resource()) {
      if (x % 5 == 0) { // @body
        bodyThrown++;
        inFlight = true;
        throw new Boom(x);
      }
    } catch (Boom boom) {
      inFlight = false;
      return 1;
    }
    return 0;
  }

  static int overflow(int depth) {
    overflowCalls++;
    if ((depth & 1) == 0) overflowEven++; // @overflow
    return overflow(depth + 1) + 1;
  }

  static synchronized void locked(int x) {
    lockedCalls++;
    if (x % 7 == 0) { // @locked
      lockedThrown++;
      throw new Boom(x);
    }
  }

  static final class Fussy {
    final int x;

    Fussy(int x) {
      this(x, x % 6 == 0);
      constructed++;
    }

    private Fussy(int x, boolean refuse) {
      this.x = x;
      if (refuse) { // @fussy
        constructorThrown++;
        throw new Boom(x);
      }
    }
  }

  static final class FailsToInitialise {
    static int value = compute();

    static int compute() {
      initialised++;
      if (initialised > 0) throw new Boom(0); // @initialise
      return 1;
    }
  }

  /** A handler that throws; the loop around it catches the exception. */
  static int retry(int x) {
    int attempts = 0;
    while (true) {
      selfCalls++;
      try {
        attempts++;
        if (attempts <= x) throw new Boom(attempts); // @retry
        return attempts;
      } catch (Boom boom) {
        selfCaught++;
      }
    }
  }

  /** Always throws, never returns. */
  static int never(int x) {
    sneakCalls++;
    if (x == 0) { // @never
      sneakLast++;
      throw new Boom(0);
    }
    return never(x - 1);
  }

  static long run(int rounds) {
    long sum = 0;
    for (int i = 0; i < rounds; i++) {
      for (int throwAt = 1; throwAt < 40; throwAt += 1 + i % 5) {
        int catchAt = throwAt * (i % 10) / 10;
        sum += deep(0, throwAt, catchAt);
        if (throwAt == catchAt + 1) nears++;
      }
      sum += deep(0, 50, i % 40);
      try {
        sum += finallyBlock(i);
      } catch (Boom boom) {
        finalsThrown++;
      }
      if ((i & 1) == 1) finalsOdd++;
      if ((i & 1) == 1 && i % 3 == 0) finalsOddThrown++;
      Object[] objects = {null, "abc", 1};
      sum += implicit(objects[i % 3], i % 11 == 0 ? null : new int[8], i % 10);
      sum += nested(i) + resource(i) + retry(i % 4);
      try {
        locked(i);
      } catch (Boom boom) {
        sum++;
      }
      try {
        sum += new Fussy(i).x;
      } catch (Boom boom) {
        sum++;
      }
      if (i % 50 == 0) {
        try {
          sum += never(i / 50 % 20);
        } catch (Boom boom) {
          sum++;
        }
      }
    }
    for (int i = 0; i < 2; i++) {
      try {
        sum += overflow(0);
      } catch (StackOverflowError e) {
        overflowCaught++;
      }
    }
    List<Throwable> failures = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      try {
        sum += FailsToInitialise.value;
      } catch (ExceptionInInitializerError | NoClassDefFoundError e) {
        failures.add(e);
      }
    }
    return sum + failures.size();
  }

  static void expect(int rounds) {
    Expect e = new Expect(Exceptions.class);
    String deep = "deep(III)I";
    e.calls(deep, deeps);
    e.branch("throwHere", deeps - thrown, thrown);
    e.branch("catchHere", deeps - thrown - tried, tried);
    e.branch("near", caught - nears, nears);
    e.branch("bottom", deeps - thrown - tried - returned, returned);
    e.abrupt(deep, thrown + caught + unwound);
    e.calls("finallyBlock(I)I", finals);
    e.branch("finallyThrow", finals - finalsThrown, finalsThrown);
    long oddNormal = finalsOdd - finalsOddThrown;
    long normal = finals - finalsThrown;
    // "(x & 1) == 1" compares with the constant 1: an if_icmpne, once for the normal path and once for the
    // exceptional one.
    e.branch("finallyOdd", 0, normal - oddNormal, oddNormal);
    e.branch("finallyOdd", 1, finalsThrown - finalsOddThrown, finalsOddThrown);
    e.abrupt("finallyBlock(I)I", 2 * finalsThrown);
    String vm = "implicit(Ljava/lang/Object;[II)I";
    e.calls(vm, implicit);
    e.abrupt(vm, implicit - none);
    e.calls("nested(I)I", nestedCalls);
    e.branch("nestedInner", nestedCalls - innerCaught, innerCaught);
    e.branch("nestedRethrow", innerCaught - rethrown, rethrown);
    e.abrupt("nested(I)I", innerCaught + outerCaught);
    Expect r = new Expect(Resource.class);
    r.calls("<init>()V", resources);
    r.calls("close()V", closed);
    r.branch("close", closed - closedOnThrow, closedOnThrow);
    e.calls("resource(I)I", rounds);
    e.branch("body", rounds - bodyThrown, bodyThrown);
    e.abrupt("resource(I)I", 2 * bodyThrown);
    e.calls("overflow(I)I", overflowCalls);
    e.branch("overflow", overflowCalls - overflowEven, overflowEven);
    e.abrupt("overflow(I)I", overflowCalls);
    e.calls("locked(I)V", lockedCalls);
    e.branch("locked", lockedCalls - lockedThrown, lockedThrown);
    e.abrupt("locked(I)V", lockedThrown);
    Expect f = new Expect(Fussy.class);
    f.calls("<init>(I)V", constructed + constructorThrown);
    f.calls("<init>(IZ)V", constructed + constructorThrown);
    f.branch("fussy", constructed, constructorThrown);
    f.abrupt("<init>(IZ)V", constructorThrown);
    f.abrupt("<init>(I)V", constructorThrown);
    Expect i = new Expect(FailsToInitialise.class);
    i.calls("<clinit>()V", 1);
    i.calls("compute()I", 1);
    i.branch("initialise", 0, 1);
    i.abrupt("compute()I", 1);
    e.calls("retry(I)I", rounds);
    e.branch("retry", selfCalls - selfCaught, selfCaught);
    e.abrupt("retry(I)I", selfCaught);
    e.calls("never(I)I", sneakCalls);
    e.branch("never", sneakCalls - sneakLast, sneakLast);
    e.abrupt("never(I)I", sneakCalls);
  }
}
