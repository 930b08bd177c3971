package sampling;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Scanner;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Threads with known names and known shares of the work: a pool of four, one of two names, and main. The arguments are the
 * CPU time of one thread of the pool in milliseconds, and "waits" if they wait for a line of input before they work, or
 * "stays" if the program goes on until it is killed. Prints how long each name burnt, by the threads' own clocks.
 */
public final class NamedThreads {
  /** The work alone, so that samples of other work can be told apart. */
  private static final class Work {
    private static volatile long sink;

    static long burn(long ns) {
      long start = Clock.cpuNs();
      long x = start;
      while (Clock.cpuNs() - start < ns) {
        for (int i = 0; i < 2_000; i++) {
          x = x * 31 + i;
        }
      }
      sink = x;
      return Clock.cpuNs() - start;
    }
  }

  public static void main(String[] args) throws Exception {
    long ns = Long.parseLong(args[0]) * 1_000_000;
    String kind = args.length > 1 ? args[1] : "";
    CountDownLatch go = new CountDownLatch(kind.equals("waits") ? 1 : 0);
    AtomicLong pool = new AtomicLong();
    AtomicLong before = new AtomicLong();
    AtomicLong after = new AtomicLong();
    ExecutorService threads = Executors.newFixedThreadPool(4);
    List<Future<?>> tasks = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      tasks.add(threads.submit(() -> {
        go.await();
        return pool.addAndGet(Work.burn(ns));
      }));
    }
    Thread named = new Thread(() -> {
      try {
        go.await();
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
      before.addAndGet(Work.burn(2 * ns));
      Thread.currentThread().setName("late name 2");
      after.addAndGet(Work.burn(3 * ns)); // until the name is read
    }, "first name 1");
    named.start();
    if (kind.equals("waits")) {
      System.out.println("ready");
      new Scanner(System.in).nextLine();
      go.countDown();
    }
    long main = Work.burn(3 * ns);
    for (Future<?> task : tasks) {
      task.get();
    }
    named.join();
    threads.shutdown();
    System.out.printf(Locale.ROOT, "burnt pool-*-thread-*=%d main=%d first=%d late=%d%n", pool.get(), main, before.get(),
        after.get());
    if (kind.equals("stays")) {
      Thread.sleep(Long.MAX_VALUE);
    }
  }
}
