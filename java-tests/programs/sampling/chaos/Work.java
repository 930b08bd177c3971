package sampling.chaos;

/**
 * Uses some CPU time. It is loaded again and again by new loaders and as a hidden class, so that its code is
 * always new.
 */
public final class Work implements Runnable {
  /** Keeps compilers from removing the work. */
  public static volatile long result;

  @Override
  public void run() {
    long x = System.identityHashCode(this);
    for (int i = 0; i < 20_000; i++) {
      x = step(x, i);
    }
    result = x;
  }

  private static long step(long x, int i) {
    return x * 31 + i;
  }
}
