package sampling.chaos;

/** Exceptions from throw statements and from hardware faults, through frames of every kind. */
final class Exceptions implements Burden.Body {
  private static volatile int zero;
  private static volatile Object nothing;
  private long caught;

  @Override
  public void round() {
    for (int i = 0; i < 2_000; i++) {
      try {
        throwUnder(i % 20, i);
      } catch (RuntimeException expected) {
        caught++;
      }
    }
  }

  private static void throwUnder(int depth, int i) {
    if (depth > 0) {
      try {
        throwUnder(depth - 1, i);
      } finally {
        nothing = null;
      }
    }
    switch (i % 4) {
      case 0 -> throw new IllegalStateException();
      case 1 -> nothing.hashCode(); // a null pointer, a SIGSEGV in compiled code
      case 2 -> zero = i / zero; // a SIGFPE
      default -> throw new IllegalArgumentException("with a message");
    }
  }
}
