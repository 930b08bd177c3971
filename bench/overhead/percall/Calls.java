/** Known numbers of calls, some of which end with an exception. */
final class Calls {
  private static int fib(int n) {
    return n < 2 ? n : fib(n - 1) + fib(n - 2);
  }

  private static int thrower(int n) {
    if (n % 2 == 0) throw new IllegalStateException();
    return n;
  }

  private static int around(int n) {
    return thrower(n) + 1;
  }

  public static void main(String[] args) {
    int sum = fib(20);
    for (int i = 0; i < 1000; i++) {
      try {
        sum += around(i);
      } catch (IllegalStateException even) {
        sum--;
      }
    }
    System.out.println(sum);
  }
}
