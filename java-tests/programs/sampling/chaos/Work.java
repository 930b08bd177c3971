package sampling.chaos;

/** Some CPU time: loaded again and again by loaders of its own and as a hidden class, so that its code is always new. */
public final class Work implements Runnable {
  /** So that no compiler can leave the work out. */
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
