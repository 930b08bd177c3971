package overhead;

/** Exceptions thrown through a few frames, one call in four. */
final class Throwing {
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

  static long run() {
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

  private Throwing() {}
}
