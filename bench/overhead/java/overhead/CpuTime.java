package overhead;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * CPU time as Linux counts it for each thread, so that other work on the machine has less influence than with a clock.
 */
final class CpuTime {
  /** The CPU time of all live threads, by what they do; {@code programNs} includes the collectors. */
  record Threads(long programNs, long compilersNs, long agentNs) {}

  /**
   * The CPU time of all live threads except those of the JIT compilers; it includes collectors and the agents' threads.
   */
  static long exceptCompilersNs() throws IOException {
    Threads threads = ofThreads();
    return threads.programNs() + threads.agentNs();
  }

  /** Threads that have ended are not included, so the workloads keep theirs alive. */
  static Threads ofThreads() throws IOException {
    long program = 0;
    long compilers = 0;
    long agent = 0;
    try (DirectoryStream<Path> threads = Files.newDirectoryStream(Path.of("/proc/self/task"))) {
      for (Path thread : threads) {
        try {
          String name = Files.readString(thread.resolve("comm"));
          String times = Files.readString(thread.resolve("schedstat"));
          long ns = Long.parseLong(times.substring(0, times.indexOf(' ')));
          if (name.startsWith("C1 Compiler") || name.startsWith("C2 Compiler")) compilers += ns;
          else if (name.startsWith("iprof")) agent += ns;
          else program += ns;
        } catch (IOException ended) {
          if (Files.exists(thread)) throw ended;
        }
      }
    }
    return new Threads(program, compilers, agent);
  }

  /** User and system time of the whole process, in the kernel's ticks (100 a second on every Linux that runs Java). */
  static long processTicks() throws IOException {
    String line = Files.readString(Path.of("/proc/self/stat"));
    String[] fields = line.substring(line.lastIndexOf(')') + 2).split(" ");
    return Long.parseLong(fields[11]) + Long.parseLong(fields[12]);
  }

  private CpuTime() {}
}
