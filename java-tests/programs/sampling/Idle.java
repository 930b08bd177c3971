package sampling;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.locks.LockSupport;

/**
 * Many threads that wait for a number of milliseconds; prints the CPU time of the agent's sampling thread during
 * that time.
 */
public final class Idle {
  public static void main(String[] args) throws Exception {
    int count = Integer.parseInt(args[0]);
    for (int i = 0; i < count; i++) {
      Thread thread = new Thread(null, () -> {
        while (true) {
          LockSupport.park();
        }
      }, "waits", 160 * 1024);
      thread.setDaemon(true);
      thread.start();
    }
    Thread.sleep(1_000);
    long before = samplerNs();
    long start = System.nanoTime();
    Thread.sleep(Long.parseLong(args[1]));
    long used = samplerNs() - before;
    System.out.println("sampler " + used + " of " + (System.nanoTime() - start));
  }

  /** From the scheduler's statistics, which have nanoseconds; -1 if there is no such thread. */
  static long samplerNs() throws IOException {
    long sum = -1;
    try (DirectoryStream<Path> threads = Files.newDirectoryStream(Path.of("/proc/self/task"))) {
      for (Path thread : threads) {
        try {
          if (Files.readString(thread.resolve("comm")).strip().equals("iprof-sampler")) {
            sum = Math.max(sum, 0) + Long.parseLong(Files.readString(thread.resolve("schedstat")).split(" ")[0]);
          }
        } catch (IOException ended) {
          continue; // the thread has ended since it was listed
        }
      }
    }
    return sum;
  }
}
