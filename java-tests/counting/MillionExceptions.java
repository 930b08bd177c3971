package counting;

/** Throws a million exceptions through a few frames each: the hardest case for derived counts. */
@SuppressWarnings("serial")
public final class MillionExceptions {
  private static final RuntimeException THROWN = new RuntimeException("again", null, false, false) {};

  static int third(int x) {
    if (x % 2 == 0) throw THROWN; // @third
    return x;
  }

  static int second(int x) {
    int r = x > 10 ? third(x) : third(x + 1000); // @second
    return r + 1;
  }

  static int first(int x) {
    try {
      int r = second(x);
      return r > 0 ? r : -r; // @first
    } catch (RuntimeException e) {
      return 0;
    }
  }

  public static void main(String[] args) {
    int throwing = args.length > 0 ? Integer.parseInt(args[0]) : 1000000;
    long sum = 0;
    for (int i = 0; i < 2 * throwing; i++) sum += first(i);
    System.out.println("sum " + sum);
    Expect e = new Expect(MillionExceptions.class);
    int all = 2 * throwing;
    e.calls("third(I)I", all);
    e.branch("third", throwing, throwing);
    e.abrupt("third(I)I", throwing);
    e.calls("second(I)I", all);
    e.branch("second", 11, all - 11);
    e.abrupt("second(I)I", throwing);
    e.calls("first(I)I", all);
    e.branch("first", 0, throwing);
    e.abrupt("first(I)I", throwing);
    Expect.print();
  }
}
