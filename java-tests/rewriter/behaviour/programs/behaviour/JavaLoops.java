package behaviour;

import java.util.Arrays;

/** Loops and arithmetic that the compilers optimise: counted, nested, labelled, with live long and double values. */
final class JavaLoops {
  static void tSieve() {
    boolean[] composite = new boolean[2000];
    int primes = 0;
    for (int i = 2; i < composite.length; i++) {
      if (composite[i]) continue;
      primes++;
      for (int j = i * 2; j < composite.length; j += i) composite[j] = true;
    }
    Sink.i(primes);
  }

  static void tLabelled() {
    long sum = 0;
    outer:
    for (int i = 0; ; i++) {
      for (int j = i; ; j += 3) {
        if (j > 50) continue outer;
        if (i > 20) break outer;
        if ((i ^ j) % 5 == 0) break;
        sum += (long) i * j;
      }
    }
    Sink.j(sum);
  }

  private static double mix(int a, long b, float c, double d, int e) {
    return a + b * (a > 3 ? c : d) + (e > 0 ? mix(a - 1, b + 1, c, d * 0.5, e - 1) : 0.0);
  }

  static void tMixed() {
    Sink.d(mix(9, 8L, 7f, 6d, 10));
  }

  static void tArrays() {
    int[][] matrix = new int[7][9];
    for (int[] row : matrix) Arrays.setAll(row, i -> i * i % 11);
    long[] totals = new long[9];
    int i = 0;
    for (int[] row : matrix) {
      for (int k = 0; k < row.length; k++) totals[k] += row[k] * (i++ & 3);
    }
    totals[2]++;
    totals[3] += totals[2]--;
    Sink.a(Arrays.toString(totals));
    char[] text = "hello".toCharArray();
    text[1] += 2;
    text[2]++;
    Sink.a(new String(text));
    totals[i] = 5;
  }

  static void tDoWhile() {
    int n = 27;
    int steps = 0;
    do {
      n = n % 2 == 0 ? n / 2 : 3 * n + 1;
      steps++;
    } while (n != 1);
    Sink.i(steps);
  }

  static void tEndless() {
    for (;;) Sink.tickOrThrow(12);
  }

  static void tThreads() throws InterruptedException {
    int[] total = {0};
    Thread[] threads = new Thread[4];
    for (int t = 0; t < threads.length; t++) {
      threads[t] = new Thread(() -> {
        for (int i = 0; i < 2000; i++) {
          synchronized (total) {
            total[0] += i & 1;
          }
        }
      });
      threads[t].start();
    }
    for (Thread thread : threads) thread.join();
    Sink.i(total[0]);
  }
}
