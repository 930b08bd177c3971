package sampling.chaos;

/** Recursion to the end of the stack, on large and on tiny stacks, and deep recursion without overflow. */
final class DeepStacks implements Burden.Body {
  private static volatile long sink;

  @Override
  public void round() throws InterruptedException {
    overflow();
    sink = within(800);
    Thread tiny = new Thread(null, DeepStacks::overflow, "tiny stack", 144 << 10);
    tiny.start();
    tiny.join();
  }

  private static void overflow() {
    try {
      sink = recurse(1L << 40);
    } catch (StackOverflowError expected) {
      sink = 0;
    }
  }

  private static long recurse(long depth) {
    return depth == 0 ? 0 : 1 + recurse(depth - 1);
  }

  private static long within(int depth) {
    if (depth > 0) {
      return within(depth - 1) + 1;
    }
    long x = 1;
    for (int i = 0; i < 50_000; i++) {
      x = x * 31 + i;
    }
    return x;
  }
}
