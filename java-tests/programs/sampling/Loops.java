package sampling;

/** Counted int loops, which HotSpot compiles without a safepoint inside, and long loops, which have one. */
public final class Loops {
  private static long sink;

  static long countedInt(int n) {
    int x = n;
    for (int i = 0; i < n; i++) {
      x = x * 31 + i;
      x ^= x >>> 5;
      x += i * 7;
    }
    return x;
  }

  static long countedLong(long n) {
    long x = n;
    for (long i = 0; i < n; i++) {
      x = x * 31 + i;
      x ^= x >>> 5;
      x += i * 7;
    }
    return x;
  }

  public static void main(String[] args) {
    Clock clock = new Clock(args);
    while (clock.running()) {
      sink += countedInt(200_000);
      sink += countedLong(200_000);
    }
    System.out.println("sink " + sink);
  }
}
