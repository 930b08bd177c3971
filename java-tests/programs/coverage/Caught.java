package coverage;

/** Exceptions: "//=" as in Covered; "//~ 10" is what a profile says of a line that ran less often, or more often, in truth. */
public final class Caught {
  static void check(int number) {
    if (number % 5 == 0) {  //= 30 | 6 24
      throw new IllegalArgumentException("fives");  //= 6
    }
  }

  // The call of getMessage shows how often the handler ran; what check() ended is not seen.
  static int seen(int number) {
    int done = 0;  //= 10
    try {
      check(number);  //= 10
      done = 1;  //~ 10
    } catch (IllegalArgumentException e) {
      done = e.getMessage().length();  //= 2
    } finally {
      done += number;  //= 10
    }
    return done;  //~ 12
  }

  // Nothing shows how often this handler ran.
  static int unseen(int number) {
    try {
      check(number);  //= 10
    } catch (IllegalArgumentException e) {
      return -1;  //~ 0
    }
    return 1;  //~ 10
  }

  // A branch in the handler does, and one behind it.
  static int branches(int number) {
    int done = 0;  //= 10
    try {
      check(number);  //= 10
    } catch (IllegalArgumentException e) {
      if (number == 5) {  //= 2 | 1 1
        done = 7;  //= 1
      }
    }
    if (done == 7) {  //= 10 | 1 9
      done++;  //= 1
    }
    return done;  //= 10
  }

  public static void main(String[] arguments) {
    int sum = 0;  //= 1
    for (int i = 1; i <= 10; i++) {  //= 11 | 10 1
      sum += seen(i) + unseen(i) + branches(i);  //= 10
    }
    System.out.println(sum);  //= 1
  }
}
