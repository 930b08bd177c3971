package coverage;

import java.util.List;
import java.util.function.IntUnaryOperator;

/**
 * Lines whose executions are known. "//= 10" is how often the line runs; "| 7 3" after it are the ways of its branches,
 * in the order of the code.
 */
public final class Covered {
  private final int start = 4;  //= 5
  private final String name;

  Covered() {  //= 3
    this.name = "none";  //= 3
  }

  Covered(String name) {  //= 2
    this.name = name;  //= 2
  }

  enum Kind {
    EVEN, ODD;  //= 1

    static Kind of(int number) {
      return number % 2 == 0 ? EVEN : ODD;  //= 10 | 5 5
    }
  }

  static int choose(int number) {
    if (number < 3) {  //= 10 | 3 7
      return number;  //= 3
    } else if (number == 100) {  //= 7 | 0 7
      return -1;  //= 0
    }
    return number + 1;  //= 7
  }

  static int loop(int rounds) {
    int sum = 0;  //= 2
    for (int i = 0; i < rounds; i++) {  //= 9 | 7 2
      sum += i;  //= 7
    }
    return sum;  //= 2
  }

  static String name(int number) {
    switch (number) {  //= 10 | 1 1 8
      case 1:
        return "one";  //= 1
      case 2:
        return "two";  //= 1
      default:
        return "many";  //= 8
    }
  }

  static int locked(Object lock) {
    synchronized (lock) {  //= 3
      return lock.hashCode();  //= 3
    }
  }

  static int never(int number) {
    if (number > 0 && number < 10) {  //= 0 | - - - -
      return 1;  //= 0
    }
    return number;  //= 0
  }

  static int applied(IntUnaryOperator operator) {
    int sum = 0;  //= 1
    for (int i = 0; i < 6; i++) sum += operator.applyAsInt(i);  //= 7 | 6 1
    return sum;  //= 1
  }

  public static void main(String[] arguments) {
    int sum = 0;  //= 1
    for (int i = 1; i <= 10; i++) {  //= 11 | 10 1
      sum += choose(i - 1) + name(i).length();  //= 10
      sum += Kind.of(i).ordinal();  //= 10
    }
    sum += loop(3) + loop(4);  //= 1
    sum += applied(x -> x * 3);  //= 6
    for (String each : List.of("a", "b")) sum += new Covered(each).name.length();  //= 3 | 2 1
    for (int i = 0; i < 3; i++) sum += locked(new Covered().name);  //= 4 | 3 1
    System.out.println(sum);  //= 1
    if (arguments.length > 0) {  //= 1 | 0 1
      System.out.println(never(arguments.length));  //= 0
    }
  }
}
