package counting;

/** Methods that call themselves and each other. */
final class Recursion {
  private static long fibs, fibLeaves, evens, evenEnds, odds, oddEnds, acks, ackZeroM, ackZeroN;

  static int fib(int n) {
    fibs++;
    if (n < 2) { // @fib
      fibLeaves++;
      return n;
    }
    return fib(n - 1) + fib(n - 2);
  }

  static boolean even(int n) {
    evens++;
    if (n == 0) { // @even
      evenEnds++;
      return true;
    }
    return odd(n - 1);
  }

  static boolean odd(int n) {
    odds++;
    if (n == 0) { // @odd
      oddEnds++;
      return false;
    }
    return even(n - 1);
  }

  static int ackermann(int m, int n) {
    acks++;
    if (m == 0) { // @ackM
      ackZeroM++;
      return n + 1;
    }
    if (n == 0) { // @ackN
      ackZeroN++;
      return ackermann(m - 1, 1);
    }
    return ackermann(m - 1, ackermann(m, n - 1));
  }

  static long run(int depth) {
    long r = fib(depth) + ackermann(2, 30);
    for (int i = 0; i < 300; i++) if (even(i)) r++;
    return r;
  }

  static void expect() {
    Expect e = new Expect(Recursion.class);
    e.calls("fib(I)I", fibs);
    e.branch("fib", fibs - fibLeaves, fibLeaves);
    e.calls("even(I)Z", evens);
    e.branch("even", evens - evenEnds, evenEnds);
    e.calls("odd(I)Z", odds);
    e.branch("odd", odds - oddEnds, oddEnds);
    e.calls("ackermann(II)I", acks);
    e.branch("ackM", acks - ackZeroM, ackZeroM);
    e.branch("ackN", acks - ackZeroM - ackZeroN, ackZeroN);
  }
}
