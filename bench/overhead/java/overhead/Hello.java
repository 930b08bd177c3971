package overhead;

/** The smallest program: measures start and end. */
public final class Hello {
  public static void main(String[] args) {
    System.out.println("RESULT hello");
  }
}
