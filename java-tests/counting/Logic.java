package counting;

import java.util.Random;

/**
 * Chains of conditions. Each operand is a call that counts how often it was evaluated and what it returned, so that the
 * tested values of every ifeq or ifne of a line are known.
 */
final class Logic {
  private static final long[] no = new long[64];
  private static final long[] yes = new long[64];

  static boolean is(int operand, boolean value) {
    if (value) { // @is
      yes[operand]++;
    } else {
      no[operand]++;
    }
    return value;
  }

  static int and(int x) { return is(0, x > 1) && is(1, x < 5) && is(2, x != 3) ? 1 : 2; } // @and
  static int or(int x) { return is(3, x < 1) || is(4, x > 5) || is(5, x == 3) ? 1 : 2; } // @or
  static int mixed(int x) { return (is(6, x > 2) && is(7, x < 6)) || (is(8, x == 0) && !is(9, x > 9)) ? 1 : 2; } // @mixed
  static int not(int x) { if (!(is(10, x > 2) || is(11, x == 1))) return 1; return 2; } // @not
  static boolean value(int x) { return is(12, x > 2) & is(13, x > 3) | is(14, x > 4); }
  static boolean stored(int x) { boolean b = is(15, x > 2) && is(16, x > 3); return b; } // @stored
  static int nested(int x) { return is(17, x > 3) ? is(18, x > 5) ? 1 : 2 : is(19, x > 1) ? 3 : 4; } // @nested
  static int whileAnd(int x) { int i = 0; while (is(20, i < x) && is(21, i != 4)) i++; return i; } // @whileAnd
  static int doOr(int x) { int i = 0; do { i++; } while (is(22, i < x) || is(23, (i & 3) != 0)); return i; } // @doOr
  static int argument(int x) { return twice(is(24, x > 2) ? x : -x, is(25, x > 4) || is(26, x < 2)); } // @argument
  static int twice(int x, boolean b) { return b ? 2 * x : x; }

  static long run(int rounds) {
    Random random = new Random(13);
    long sum = 0;
    for (int i = 0; i < rounds; i++) {
      int x = random.nextInt(8);
      sum += and(x) + or(x) + mixed(x) + not(x) + (value(x) ? 1 : 0) + (stored(x) ? 1 : 0);
      sum += nested(x) + whileAnd(x) + doOr(x) + argument(x);
    }
    return sum;
  }

  private static void chain(Expect e, String marker, int... operands) {
    for (int k = 0; k < operands.length; k++) {
      // The comparison computes the operand (javac jumps if it is false), then the returned value is tested.
      e.branch(marker, 2 * k, no[operands[k]], yes[operands[k]]);
      e.value(marker, 2 * k + 1, no[operands[k]], yes[operands[k]]);
    }
  }

  static void expect(int rounds) {
    Expect e = new Expect(Logic.class);
    long all = 0;
    long positive = 0;
    for (int i = 0; i < yes.length; i++) {
      all += yes[i] + no[i];
      positive += yes[i];
    }
    e.calls("is(IZ)Z", all);
    e.value("is", 0, all - positive, positive);
    e.calls("and(I)I", rounds);
    e.calls("value(I)Z", rounds);
    chain(e, "and", 0, 1, 2);
    chain(e, "or", 3, 4, 5);
    chain(e, "mixed", 6, 7, 8, 9);
    chain(e, "not", 10, 11);
    chain(e, "stored", 15, 16);
    chain(e, "nested", 17, 18, 19);
    chain(e, "whileAnd", 20, 21);
    chain(e, "doOr", 22, 23);
    chain(e, "argument", 24, 25, 26);
  }
}
