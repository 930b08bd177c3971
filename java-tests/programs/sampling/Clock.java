package sampling;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;

/**
 * The CPU time of the current thread. Programs run for a given CPU time, not wall time, so that on a busy machine they
 * do the same work.
 */
final class Clock {
  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
  private final long end;

  /** The CPU time to run for: the first argument, in milliseconds. */
  Clock(String[] args) {
    this(Long.parseLong(args[0]) * 1_000_000);
  }

  Clock(long ns) {
    end = cpuNs() + ns;
  }

  static long cpuNs() {
    return THREADS.getCurrentThreadCpuTime();
  }

  boolean running() {
    return cpuNs() < end;
  }
}
