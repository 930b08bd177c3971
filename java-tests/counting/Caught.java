package counting;

/**
 * Frequent exceptions. If a method catches an exception and continues, none of its counts is wrong. If more than 1 % of
 * the calls end with an exception, branches whose counts it may have changed have no record, and none is inverted.
 */
@SuppressWarnings("serial")
public final class Caught {
  static final class NotFound extends Exception {
    NotFound() {
      super("no", null, false, false);
    }
  }

  private static final NotFound NO = new NotFound();
  private static final boolean[] TRACE = new boolean[1];

  private static long hits, found, notFound, longer;
  private static long refusals, large;
  private static long seldomRefused, seldomLarge;
  private static long bounds, even;
  private static long wrapped, wrappedLarge;
  private static long retries, gaveUp, steps;
  private static long finals, finalsOdd;
  private static long[] cases = new long[3];

  static String cache(int x) {
    return x % 100 == 0 ? "cached" : null; // @cache
  }

  static String find(int x) throws NotFound {
    if (x % 10 != 0) throw NO; // @find
    return "found" + x;
  }

  /** A look-up that nearly always ends with "not found": code of this form used to have inverted branches. */
  static String lookUp(int x) {
    String key = "key";
    try {
      String value = cache(x);
      if (value != null) { // @cached
        hits++;
        return value;
      }
      value = find(x);
      if (TRACE[0]) System.out.println(value); // @trace
      if (value.length() > 8) longer++; // @longer
      found++;
      return value;
    } catch (NotFound e) {
      notFound++;
    }
    String best = null;
    for (int i = 0; i < 3; i++) { // @candidates
      if (i == 1) best = key; // @best
    }
    return best;
  }

  static int refuse(int x, int every) throws NotFound {
    if (x % every == 0) throw NO; // @refuse
    return x;
  }

  /** Half of the calls end with an exception; counts after the call cannot be derived. */
  static int half(int x) throws NotFound {
    int y = refuse(x, 2);
    if (y > 100) large++; // @half
    return y;
  }

  /** One of 500 calls does: this changes no share by a point. */
  static int seldom(int x) throws NotFound {
    int y = refuse(x, 500);
    if (y % 4 == 1) seldomLarge++; // @seldom
    return y;
  }

  /** Ends every loop with an exception that the VM throws. */
  static int untilTheEnd(int[] a) {
    int sum = 0;
    try {
      for (int i = 0; ; i++) {
        if ((a[i] & 1) == 0) { // @even
          even++;
        }
        sum += a[i];
      }
    } catch (ArrayIndexOutOfBoundsException e) {
      bounds++;
    }
    return sum;
  }

  /** A handler that only throws does not continue. */
  static int wrap(int x) {
    int y;
    try {
      y = refuse(x, 3);
      if (y > 50) wrappedLarge++; // @wrap
    } catch (NotFound e) {
      wrapped++;
      throw new IllegalStateException(e);
    }
    return y;
  }

  /** Continues in the loop around it. */
  static int retry(int x) {
    int result = 0;
    for (int attempt = x; attempt < x + 4; attempt++) { // @attempts
      steps++;
      try {
        result += refuse(attempt, 4);
        switch (attempt % 3) { // @retry
          case 0:
            cases[0]++;
            break;
          case 1:
            cases[1]++;
            break;
          default:
            cases[2]++;
        }
      } catch (NotFound e) {
        retries++;
        if (attempt % 8 == 0) gaveUp++; // @giveUp
      }
    }
    return result;
  }

  /** A finally that returns discards the exception. */
  @SuppressWarnings("finally")
  static int forget(int x) {
    int y = 0;
    try {
      y = refuse(x, 2);
      if (y % 4 == 1) finalsOdd++; // @forget
    } finally {
      finals++;
      return y;
    }
  }

  public static void main(String[] args) {
    int rounds = args.length > 0 ? Integer.parseInt(args[0]) : 20000;
    long sum = 0;
    int[] array = {1, 2, 3, 4, 5};
    for (int i = 0; i < rounds; i++) {
      sum += lookUp(i).length() + untilTheEnd(array) + retry(i) + forget(i);
      try {
        sum += half(i);
      } catch (NotFound e) {
        refusals++;
      }
      try {
        sum += seldom(i);
      } catch (NotFound e) {
        seldomRefused++;
      }
      try {
        sum += wrap(i);
      } catch (IllegalStateException e) {
        sum++;
      }
    }
    System.out.println("sum " + sum);
    Expect e = new Expect(Caught.class);
    e.calls("lookUp(I)Ljava/lang/String;", rounds);
    e.branch("cached", rounds - hits, hits); // ifnull
    e.branch("trace", found, 0);
    e.branch("longer", found - longer, longer);
    e.branch("candidates", notFound, 3 * notFound);
    e.branch("best", 2 * notFound, notFound);
    e.calls("half(I)I", rounds);
    e.branch("half", rounds - refusals - large, large);
    e.abrupt("half(I)I", refusals);
    e.calls("seldom(I)I", rounds);
    e.branch("seldom", rounds - seldomRefused - seldomLarge, seldomLarge);
    e.abrupt("seldom(I)I", seldomRefused);
    e.calls("untilTheEnd([I)I", rounds);
    e.branch("even", 5L * rounds - even, even);
    e.calls("wrap(I)I", rounds);
    e.branch("wrap", rounds - wrapped - wrappedLarge, wrappedLarge);
    e.abrupt("wrap(I)I", wrapped);
    e.calls("retry(I)I", rounds);
    e.branch("attempts", rounds, steps);
    e.cases("retry", 0, cases[2], cases[0], cases[1]);
    e.branch("giveUp", retries - gaveUp, gaveUp);
    e.calls("forget(I)I", rounds);
    e.branch("forget", rounds / 2 - finalsOdd, finalsOdd);
    Expect.print();
  }
}
