package sampling;

/** About thirty calls of a chain of three tiny methods, all of which HotSpot inlines. */
public final class Inlined {
  private static long sink;

  static long outer(long x) {
    return middle(x + 1) * 3;
  }

  static long middle(long x) {
    return inner(x ^ 0x55) + 7;
  }

  static long inner(long x) {
    return x * 31 + (x >>> 3);
  }

  static long calls(long x) {
    x += outer(x);
    x ^= outer(x + 1);
    x += outer(x + 2);
    x ^= outer(x + 3);
    x += outer(x + 4);
    x ^= outer(x + 5);
    x += outer(x + 6);
    x ^= outer(x + 7);
    x += outer(x + 8);
    x ^= outer(x + 9);
    x += outer(x + 10);
    x ^= outer(x + 11);
    x += outer(x + 12);
    x ^= outer(x + 13);
    x += outer(x + 14);
    x ^= outer(x + 15);
    x += outer(x + 16);
    x ^= outer(x + 17);
    x += outer(x + 18);
    x ^= outer(x + 19);
    x += outer(x + 20);
    x ^= outer(x + 21);
    x += outer(x + 22);
    x ^= outer(x + 23);
    x += outer(x + 24);
    x ^= outer(x + 25);
    x += outer(x + 26);
    x ^= outer(x + 27);
    x += outer(x + 28);
    x ^= outer(x + 29);
    return x;
  }

  static long round(long value) {
    for (int i = 0; i < 100_000; i++) {
      value = calls(value);
    }
    return value;
  }

  public static void main(String[] args) {
    Clock clock = new Clock(args);
    while (clock.running()) {
      sink = round(sink);
    }
    System.out.println("sink " + sink);
  }
}
