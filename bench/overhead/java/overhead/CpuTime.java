package overhead;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/**
 * CPU time as Linux counts it for each thread, so that other work on the machine has less influence than with a clock.
 */
final class CpuTime {
  /**
   * The CPU time of all live threads except those of the JIT compilers; it includes collectors and the agents' threads.
   * It does not include threads that have ended, so the workloads keep theirs alive.
   */
  static long exceptCompilersNs() throws IOException {
    long sum = 0;
    try (DirectoryStream<Path> threads = Files.newDirectoryStream(Path.of("/proc/self/task"))) {
      for (Path thread : threads) sum += of(thread);
    }
    return sum;
  }

  private static long of(Path thread) throws IOException {
    try {
      String name = Files.readString(thread.resolve("comm"));
      if (name.startsWith("C1 Compiler") || name.startsWith("C2 Compiler")) return 0;
      String times = Files.readString(thread.resolve("schedstat"));
      return Long.parseLong(times.substring(0, times.indexOf(' ')));
    } catch (NoSuchFileException ended) {
      return 0;
    } catch (IOException ended) {
      if (Files.exists(thread)) throw ended;
      return 0;
    }
  }

  /** User and system time of the whole process, in the kernel's ticks (100 a second on every Linux that runs Java). */
  static long processTicks() throws IOException {
    String line = Files.readString(Path.of("/proc/self/stat"));
    String[] fields = line.substring(line.lastIndexOf(')') + 2).split(" ");
    return Long.parseLong(fields[11]) + Long.parseLong(fields[12]);
  }

  private CpuTime() {}
}
