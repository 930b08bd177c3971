package counting;

/** Threads without races on counters: each runs its own methods, or they run one after the other. */
final class Threads {
  private static final int EACH = 5000;
  private static long shared, sharedOdd;

  static int own0(int x) { return x % 3 == 0 ? 1 : 2; } // @own0

  static int own1(int x) { return x % 4 == 0 ? 1 : 2; } // @own1

  static int own2(int x) { return x % 5 == 0 ? 1 : 2; } // @own2

  static int shared(int x) {
    shared++;
    if ((x & 1) == 1) sharedOdd++; // @shared
    return x;
  }

  static void run() throws Exception {
    Thread[] threads = {
      new Thread(() -> { for (int i = 0; i < EACH; i++) own0(i); }),
      new Thread(() -> { for (int i = 0; i < EACH; i++) own1(i); }),
      new Thread(() -> { for (int i = 0; i < EACH; i++) own2(i); }),
    };
    for (Thread thread : threads) thread.start();
    for (Thread thread : threads) thread.join();
    for (int i = 0; i < 20; i++) {
      Thread thread = start(() -> { for (int k = 0; k < 1000; k++) shared(k); });
      thread.join();
    }
  }

  /** A virtual thread if the JVM has them, otherwise a platform thread. */
  private static Thread start(Runnable body) throws Exception {
    try {
      return (Thread) Thread.class.getMethod("startVirtualThread", Runnable.class).invoke(null, body);
    } catch (NoSuchMethodException | java.lang.reflect.InvocationTargetException e) {
      Thread thread = new Thread(body);
      thread.start();
      return thread;
    }
  }

  static void expect() {
    Expect e = new Expect(Threads.class);
    int thirds = (EACH + 2) / 3;
    e.calls("own0(I)I", EACH);
    e.branch("own0", EACH - thirds, thirds);
    e.calls("own1(I)I", EACH);
    e.branch("own1", EACH - EACH / 4, EACH / 4);
    e.calls("own2(I)I", EACH);
    e.branch("own2", EACH - EACH / 5, EACH / 5);
    e.calls("shared(I)I", shared);
    e.branch("shared", shared - sharedOdd, sharedOdd);
  }
}
