package sampling;

import java.util.Random;

/**
 * Spends known shares of its CPU time in ten methods and prints the CPU time of each, by the thread's own clock. Slices
 * have random lengths and order, so that they are never synchronous with the sampler.
 */
public final class Shares {
  private static final int[] WEIGHTS = {1, 2, 3, 4, 5, 6, 8, 10, 14, 20};
  private static long sink0;
  private static long sink1;
  private static long sink2;
  private static long sink3;
  private static long sink4;
  private static long sink5;
  private static long sink6;
  private static long sink7;
  private static long sink8;
  private static long sink9;

  private static long churn(long x) {
    for (int i = 0; i < 2_000; i++) {
      x = x * 6364136223846793005L + 1442695040888963407L;
      x ^= x >>> 29;
    }
    return x;
  }

  static long part0(long ns) {
    long start = Clock.cpuNs();
    long now = start;
    while (now - start < ns) {
      sink0 = churn(sink0 + 0);
      now = Clock.cpuNs();
    }
    return now - start;
  }

  static long part1(long ns) {
    long start = Clock.cpuNs();
    long now = start;
    while (now - start < ns) {
      sink1 = churn(sink1 + 1);
      now = Clock.cpuNs();
    }
    return now - start;
  }

  static long part2(long ns) {
    long start = Clock.cpuNs();
    long now = start;
    while (now - start < ns) {
      sink2 = churn(sink2 + 2);
      now = Clock.cpuNs();
    }
    return now - start;
  }

  static long part3(long ns) {
    long start = Clock.cpuNs();
    long now = start;
    while (now - start < ns) {
      sink3 = churn(sink3 + 3);
      now = Clock.cpuNs();
    }
    return now - start;
  }

  static long part4(long ns) {
    long start = Clock.cpuNs();
    long now = start;
    while (now - start < ns) {
      sink4 = churn(sink4 + 4);
      now = Clock.cpuNs();
    }
    return now - start;
  }

  static long part5(long ns) {
    long start = Clock.cpuNs();
    long now = start;
    while (now - start < ns) {
      sink5 = churn(sink5 + 5);
      now = Clock.cpuNs();
    }
    return now - start;
  }

  static long part6(long ns) {
    long start = Clock.cpuNs();
    long now = start;
    while (now - start < ns) {
      sink6 = churn(sink6 + 6);
      now = Clock.cpuNs();
    }
    return now - start;
  }

  static long part7(long ns) {
    long start = Clock.cpuNs();
    long now = start;
    while (now - start < ns) {
      sink7 = churn(sink7 + 7);
      now = Clock.cpuNs();
    }
    return now - start;
  }

  static long part8(long ns) {
    long start = Clock.cpuNs();
    long now = start;
    while (now - start < ns) {
      sink8 = churn(sink8 + 8);
      now = Clock.cpuNs();
    }
    return now - start;
  }

  static long part9(long ns) {
    long start = Clock.cpuNs();
    long now = start;
    while (now - start < ns) {
      sink9 = churn(sink9 + 9);
      now = Clock.cpuNs();
    }
    return now - start;
  }

  static long part(int which, long ns) {
    return switch (which) {
      case 0 -> part0(ns);
      case 1 -> part1(ns);
      case 2 -> part2(ns);
      case 3 -> part3(ns);
      case 4 -> part4(ns);
      case 5 -> part5(ns);
      case 6 -> part6(ns);
      case 7 -> part7(ns);
      case 8 -> part8(ns);
      case 9 -> part9(ns);
      default -> throw new AssertionError(which);
    };
  }

  public static void main(String[] args) {
    Random random = new Random(11);
    Clock clock = new Clock(args);
    long[] spent = new long[WEIGHTS.length];
    int total = 0;
    for (int weight : WEIGHTS) {
      total += weight;
    }
    while (clock.running()) {
      int ticket = random.nextInt(total);
      int which = 0;
      while (ticket >= WEIGHTS[which]) {
        ticket -= WEIGHTS[which++];
      }
      spent[which] += part(which, 500_000 + random.nextInt(4_000_000));
    }
    for (int i = 0; i < spent.length; i++) {
      System.out.println("part" + i + " " + spent[i]);
    }
  }
}
