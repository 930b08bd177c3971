package sampling;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;

/**
 * Threads that burn CPU time and add up the time of one method by their own clocks: a few long threads, or thousands of
 * short ones.
 */
public final class Threads {
  private static final AtomicLong SPENT = new AtomicLong();
  private static volatile long sink;

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

  public static void main(String[] args) throws InterruptedException {
    Clock.cpuNs(); // initialised here, outside of the measurement
    int count = Integer.parseInt(args[0]);
    int atOnce = Integer.parseInt(args[1]);
    long ns = Long.parseLong(args[2]) * 1_000;
    for (int done = 0; done < count; done += atOnce) {
      List<Thread> threads = new ArrayList<>();
      for (int i = 0; i < atOnce; i++) {
        Thread thread = new Thread(() -> burn(ns));
        thread.start();
        threads.add(thread);
      }
      for (Thread thread : threads) {
        thread.join();
      }
    }
    System.out.println("spent " + SPENT.get());
    System.out.println("timers " + timers());
  }

  /** The number of timers of the process; -1 if the kernel does not show them. */
  private static long timers() {
    try (Stream<String> lines = Files.lines(Path.of("/proc/self/timers"))) {
      return lines.filter(line -> line.startsWith("ID:")).count();
    } catch (IOException e) {
      return -1;
    }
  }
}
