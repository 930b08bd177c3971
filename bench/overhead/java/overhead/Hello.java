package overhead;

/** The smallest program: what starting and ending cost. */
public final class Hello {
  public static void main(String[] args) {
    System.out.println("RESULT hello");
  }
}
