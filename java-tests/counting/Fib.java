package counting;

/** Prints the first Fibonacci numbers one by one: the usual first example of a profile. */
public final class Fib {
  private final int count;

  Fib(int count) {
    this.count = count;
  }

  private void print(int number) {
    System.out.println(String.valueOf(number));
  }

  synchronized void fibonacci() {
    int previous = 0;
    int current = 1;
    for (int i = 0; i < count; i++) { // @loop
      print(previous);
      int next = previous + current;
      previous = current;
      current = next;
    }
  }

  public static void main(String[] args) {
    new Fib(10).fibonacci();
    Expect e = new Expect(Fib.class);
    e.calls("main([Ljava/lang/String;)V", 1);
    e.calls("<init>(I)V", 1);
    e.calls("fibonacci()V", 1);
    e.calls("print(I)V", 10);
    e.branch("loop", 1, 10);
    Expect.print();
  }
}
