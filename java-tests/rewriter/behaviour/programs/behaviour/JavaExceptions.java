package behaviour;

/** try, catch and finally in every nesting that javac emits; the lines of the traces show what was thrown where. */
final class JavaExceptions {
  static final class Resource implements AutoCloseable {
    private final String name;
    private final boolean failing;

    Resource(String name, boolean failing) {
      this.name = name;
      this.failing = failing;
      Sink.a("open " + name);
    }

    @Override
    public void close() {
      Sink.a("close " + name);
      if (failing) throw new IllegalStateException("closing " + name);
    }
  }

  private static int thrower(int n) {
    if (n % 3 == 1) throw new IllegalArgumentException("n=" + n);
    if (n % 3 == 2) throw new IndexOutOfBoundsException("n=" + n);
    return n;
  }

  private static int nested(int n) {
    long kept = 17L;
    try {
      try {
        kept += thrower(n);
      } catch (IllegalArgumentException e) {
        kept += 100;
        thrower(n + 1);
      } finally {
        Sink.j(kept);
        kept += 1000;
      }
    } catch (IndexOutOfBoundsException | UnsupportedOperationException e) {
      Sink.a(e.getMessage());
      kept += 10000;
    } finally {
      Sink.j(kept);
    }
    return (int) kept;
  }

  static void tNested() {
    for (int n = 0; n < 6; n++) Sink.i(nested(n));
  }

  @SuppressWarnings("finally")
  static int tFinallyReturns() {
    int n = 0;
    while (true) {
      try {
        n++;
        if (n == 2) continue;
        if (n == 4) break;
        thrower(n);
      } catch (RuntimeException e) {
        Sink.a(e.getMessage());
        if (n > 6) return n;
      } finally {
        Sink.i(n);
        if (n == 3) n = 5;
      }
    }
    try {
      thrower(1);
    } finally {
      return n;
    }
  }

  static void tResources() throws Exception {
    try (Resource a = new Resource("a", false); Resource b = new Resource("b", true)) {
      Sink.a(a != null && b != null);
      throw new Exception("body");
    }
  }

  static void tResourcesCaught() {
    try (Resource a = new Resource("a", true)) {
      Sink.a(a != null);
    } catch (IllegalStateException e) {
      Sink.a(e.getMessage());
    }
  }

  static void tSynchronized() {
    Object lock = new Object();
    for (int n = 0; n < 4; n++) {
      try {
        synchronized (lock) {
          Sink.a(Thread.holdsLock(lock));
          synchronized (JavaExceptions.class) {
            Sink.i(thrower(n));
          }
        }
      } catch (RuntimeException e) {
        Sink.a(Thread.holdsLock(lock) + e.getMessage());
      }
    }
  }

  static synchronized void tSynchronizedMethod() {
    Sink.a(Thread.holdsLock(JavaExceptions.class));
    thrower(1);
  }

  private static int depth(int n) {
    long a = n;
    double b = a * 0.5;
    return depth(n + 1) + (int) (a + b);
  }

  static void tStackOverflow() {
    try {
      depth(0);
    } catch (StackOverflowError e) {
      Sink.a("overflow");
    }
  }

  static void tUncaught() {
    try {
      thrower(2);
    } finally {
      Sink.a("finally");
    }
  }
}
