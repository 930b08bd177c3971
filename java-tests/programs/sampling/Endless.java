package sampling;

import java.util.Scanner;

/** Two threads that burn CPU time from the start, until standard input says for how many more milliseconds. */
public final class Endless {
  private static volatile long enough = Long.MAX_VALUE;
  private static volatile long sink;

  private static long work(long x) {
    for (int i = 0; i < 10_000; i++) {
      x = x * 31 + i;
    }
    return x;
  }

  static void first() {
    long x = 1;
    Clock clock = null;
    while (clock == null || clock.running()) {
      x = work(x);
      if (clock == null && enough != Long.MAX_VALUE) {
        clock = new Clock(enough);
      }
    }
    sink = x;
  }

  static void second() {
    long x = 2;
    Clock clock = null;
    while (clock == null || clock.running()) {
      x = work(x);
      if (clock == null && enough != Long.MAX_VALUE) {
        clock = new Clock(enough);
      }
    }
    sink = x;
  }

  public static void main(String[] args) throws InterruptedException {
    Thread[] threads = {new Thread(Endless::first), new Thread(Endless::second)};
    for (Thread thread : threads) {
      thread.start();
    }
    System.out.println("ready");
    enough = new Scanner(System.in).nextLong() * 1_000_000;
    for (Thread thread : threads) {
      thread.join();
    }
    System.out.println("sink " + sink);
  }
}
