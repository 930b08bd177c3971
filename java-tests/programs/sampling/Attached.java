package sampling;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Native threads that attach themselves and burn CPU time. Arguments: the native library, how many threads,
 * microseconds for each.
 */
public final class Attached {
  private static final AtomicLong SPENT = new AtomicLong();
  private static volatile long sink;

  private static native int runThreads(int count, long ns);

  static void burn(long ns) {
    long start = Clock.cpuNs();
    long x = start;
    while (Clock.cpuNs() - start < ns) {
      for (int i = 0; i < 2_000; i++) {
        x = x * 31 + i;
      }
    }
    sink = x;
    SPENT.addAndGet(Clock.cpuNs() - start);
  }

  public static void main(String[] args) {
    Clock.cpuNs(); // initialised here, outside of the measurement
    System.load(args[0]);
    System.out.println("ran " + runThreads(Integer.parseInt(args[1]), Long.parseLong(args[2]) * 1_000));
    System.out.println("spent " + SPENT.get());
  }
}
