package counting;

/**
 * Prints whether the length of its first argument is even or odd: one branch, which the two inputs take in
 * different directions.
 */
public final class EvenOrOddLength {
  public static void main(String[] args) {
    boolean even;
    if (args[0].length() % 2 == 0) { // @parity
      even = true;
      System.out.println("even");
    } else {
      even = false;
      System.out.println("odd");
    }
    Expect e = new Expect(EvenOrOddLength.class);
    e.calls("main([Ljava/lang/String;)V", 1);
    e.branch("parity", even ? 0 : 1, even ? 1 : 0);
    Expect.print();
  }
}
