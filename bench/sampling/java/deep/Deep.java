package deep;

/**
 * A fixed amount of work at the end of stacks of a given depth: {@code Deep DEPTH WORK}, WORK in millions of steps.
 *
 * <p>Calls are megamorphic, so that the compilers inline only the two frames of each class; the leaves differ, so that
 * stacks differ, too. Prints a checksum.
 */
public final class Deep {
  private static final int STEPS_PER_DESCENT = 20_000;

  private abstract static class Level {
    Level next;

    abstract long descend(int depth, long x);

    final long below(int depth, long x) { return depth <= 0 ? work(x) : next.descend(depth, x); }
  }

  private static final class Red extends Level {
    @Override long descend(int depth, long x) { return below(depth - 2, x) + 1; }
  }

  private static final class Green extends Level {
    @Override long descend(int depth, long x) { return below(depth - 2, x) ^ 3; }
  }

  private static final class Blue extends Level {
    @Override long descend(int depth, long x) { return below(depth - 2, x) - 5; }
  }

  private static long work(long x) {
    for (int i = 0; i < STEPS_PER_DESCENT / 4; i++) x = add(turn(mix(add(x, i)), i), x >>> 7);
    return x;
  }

  private static long add(long x, long y) { return x * 31 + y; }

  private static long mix(long x) { return (x ^ x >>> 29) * 0xbf58476d1ce4e5b9L; }

  private static long turn(long x, int by) { return Long.rotateLeft(x, by) + by; }

  public static void main(String[] args) {
    int depth = Integer.parseInt(args[0]);
    long descents = Long.parseLong(args[1]) * 1_000_000 / STEPS_PER_DESCENT;
    Level[] levels = {new Red(), new Green(), new Blue()};
    for (int i = 0; i < levels.length; i++) levels[i].next = levels[(i + 1) % levels.length];
    long x = 1;
    for (long i = 0; i < descents; i++) {
      // main, descend and below for each level of two frames, work: as many frames as requested
      x = levels[(int) (i % levels.length)].descend(depth - 2, x);
    }
    System.out.println("checksum=" + x);
  }
}
