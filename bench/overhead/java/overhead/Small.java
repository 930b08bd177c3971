package overhead;

import java.util.Random;

/** Small loops in which nearly every instruction is next to a branch: the maximum cost of counting. */
final class Small {
  static long fib() {
    return fib(32);
  }

  private static int fib(int n) {
    return n < 2 ? n : fib(n - 1) + fib(n - 2);
  }

  static long sieve() {
    boolean[] composite = new boolean[1 << 20];
    int primes = 0;
    for (int i = 2; i < composite.length; i++) {
      if (composite[i]) continue;
      primes++;
      for (long k = (long) i * i; k < composite.length; k += i) composite[(int) k] = true;
    }
    return primes;
  }

  static final class Sort implements Workload {
    private final int[] data = new Random(3).ints(60000).toArray();

    @Override
    public long run() {
      int[] a = data.clone();
      quick(a, 0, a.length - 1);
      return a[a.length / 3];
    }

    private static void quick(int[] a, int low, int high) {
      while (low < high) {
        if (high - low < 12) {
          insertion(a, low, high);
          return;
        }
        int pivot = a[(low + high) >>> 1];
        int i = low;
        int j = high;
        while (i <= j) {
          while (a[i] < pivot) i++;
          while (a[j] > pivot) j--;
          if (i <= j) {
            int t = a[i];
            a[i++] = a[j];
            a[j--] = t;
          }
        }
        quick(a, low, j);
        low = i;
      }
    }

    private static void insertion(int[] a, int low, int high) {
      for (int i = low + 1; i <= high; i++) {
        int x = a[i];
        int k = i - 1;
        while (k >= low && a[k] > x) {
          a[k + 1] = a[k];
          k--;
        }
        a[k + 1] = x;
      }
    }
  }

  /** Evaluates a long arithmetic expression by recursive descent. */
  static final class Parse implements Workload {
    private final String text;
    private int at;

    Parse() {
      Random random = new Random(5);
      StringBuilder b = new StringBuilder("1");
      for (int i = 0; i < 20000; i++) {
        b.append("+-*".charAt(random.nextInt(3)));
        if (random.nextInt(4) == 0) b.append("(2 - ").append(random.nextInt(1000)).append(" * 3)");
        else b.append(random.nextInt(100000));
      }
      text = b.toString();
    }

    @Override
    public long run() {
      at = 0;
      return sum();
    }

    private char peek() {
      while (at < text.length() && text.charAt(at) == ' ') at++;
      return at < text.length() ? text.charAt(at) : '\0';
    }

    private long sum() {
      long value = product();
      while (true) {
        switch (peek()) {
          case '+':
            at++;
            value += product();
            break;
          case '-':
            at++;
            value -= product();
            break;
          default:
            return value;
        }
      }
    }

    private long product() {
      long value = atom();
      while (peek() == '*') {
        at++;
        value *= atom();
      }
      return value;
    }

    private long atom() {
      if (peek() == '(') {
        at++;
        long value = sum();
        at++;
        return value;
      }
      long value = 0;
      for (char c = peek(); c >= '0' && c <= '9'; c = at < text.length() ? text.charAt(at) : '\0') {
        value = 10 * value + c - '0';
        at++;
      }
      return value;
    }
  }

  /** Gravity between a few bodies: floating point in short nested loops. */
  static final class Bodies implements Workload {
    private static final int COUNT = 5;

    @Override
    public long run() {
      double[] x = new double[3 * COUNT];
      double[] v = new double[3 * COUNT];
      for (int i = 0; i < x.length; i++) {
        x[i] = (i * 7919 % 31) / 3.0;
        v[i] = (i * 104729 % 17) / 50.0 - 0.2;
      }
      for (int step = 0; step < 20000; step++) advance(x, v, 0.001);
      return Double.doubleToLongBits(x[0]);
    }

    private static void advance(double[] x, double[] v, double dt) {
      for (int i = 0; i < COUNT; i++) {
        for (int j = i + 1; j < COUNT; j++) {
          double dx = x[3 * i] - x[3 * j];
          double dy = x[3 * i + 1] - x[3 * j + 1];
          double dz = x[3 * i + 2] - x[3 * j + 2];
          double d2 = dx * dx + dy * dy + dz * dz + 0.01;
          double f = dt / (d2 * Math.sqrt(d2));
          v[3 * i] -= dx * f;
          v[3 * i + 1] -= dy * f;
          v[3 * i + 2] -= dz * f;
          v[3 * j] += dx * f;
          v[3 * j + 1] += dy * f;
          v[3 * j + 2] += dz * f;
        }
      }
      for (int i = 0; i < x.length; i++) x[i] += dt * v[i];
    }
  }

  private Small() {}
}
