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

  /** Thrown through a few frames, by one call in four. */
  private static final class Refused extends RuntimeException {
    private static final long serialVersionUID = 1;

    Refused() {
      super("refused", null, false, false);
    }
  }

  private static int inner(int x) {
    if ((x & 3) == 0) throw new Refused();
    return x;
  }

  private static int middle(int depth, int x) {
    return depth == 0 ? inner(x) : middle(depth - 1, x) + 1;
  }

  static long exceptions() {
    long sum = 0;
    for (int i = 0; i < 20000; i++) {
      try {
        sum += middle(i & 3, i);
      } catch (Refused refused) {
        sum--;
      }
    }
    return sum;
  }

  private Small() {}
}
