package sampling;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.locks.LockSupport;

/**
 * Few threads that wait, then ten times as many; prints the CPU time of the agent's sampling thread beside each, in
 * the same number of milliseconds. Arguments: how many in all, and the milliseconds.
 */
public final class Idle {
  public static void main(String[] args) throws Exception {
    int count = Integer.parseInt(args[0]);
    long few = beside(count / 10, Long.parseLong(args[1]));
    long many = beside(count - count / 10, Long.parseLong(args[1]));
    System.out.println("sampler " + few + " then " + many);
  }

  private static long beside(int more, long milliseconds) throws Exception {
    for (int i = 0; i < more; i++) {
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
    Thread.sleep(milliseconds);
    return samplerNs() - before;
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
