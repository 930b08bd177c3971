package sampling;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;

/** How much CPU time the current thread has used: programs run for CPU time, not wall time, so that a busy machine only
 * makes them slower, not shorter. */
final class Clock {
  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
  private final long end;

  /** The first argument is the CPU time to run for, in milliseconds. */
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
