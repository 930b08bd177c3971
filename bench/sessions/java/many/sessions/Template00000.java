package sessions;

import java.util.function.IntUnaryOperator;

/** The class of which Many defines copies; they differ in the digits of their names. */
public class Template00000 implements IntUnaryOperator {
  private int sum;

  @Override
  public int applyAsInt(int n) {
    for (int i = 0; i < n % 8; i++) {
      if (i % 3 == 0) {
        sum += twice(i);
      } else {
        sum -= once(n);
      }
    }
    return sum;
  }

  private static int twice(int n) {
    return n > 4 ? 2 * n : n + n;
  }

  private int once(int n) {
    try {
      return Integer.parseInt(Integer.toString(n));
    } catch (NumberFormatException never) {
      return 0;
    }
  }
}
