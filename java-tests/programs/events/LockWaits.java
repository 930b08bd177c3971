package events;

import java.util.Scanner;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.AbstractQueuedSynchronizer;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.concurrent.locks.StampedLock;

/**
 * Waits for locks for times that it measures itself. Each line that it reads is a command, and its answer is one line:
 * "waits SITE N NS ..." for each site: how often and how long it waited there.
 */
public final class LockWaits {
  private static final class Often {}

  private static final class Seldom {}

  /** A lock of the program's own. */
  private static final class OwnLock extends AbstractQueuedSynchronizer {
    private static final long serialVersionUID = 1;
  }

  private interface Waiting {
    void run() throws Exception;
  }

  private static final Object OFTEN = new Often();
  private static final Object SELDOM = new Seldom();
  private static final ReentrantLock UNFAIR = new ReentrantLock();
  private static final ReentrantLock FAIR = new ReentrantLock(true);
  private static final Semaphore SEMAPHORE = new Semaphore(1);
  private static final ReentrantReadWriteLock READ_WRITE = new ReentrantReadWriteLock();
  private static final StampedLock STAMPED = new StampedLock();
  private static final OwnLock OWN = new OwnLock();

  private static volatile boolean holds;
  private static long checksum;

  // --- Where one thread waits for another.

  private static void often() {
    synchronized (OFTEN) {
      checksum++;
    }
  }

  private static void seldom() {
    synchronized (SELDOM) {
      checksum++;
    }
  }

  private static void unfair() {
    UNFAIR.lock();
    UNFAIR.unlock();
  }

  private static void fair() {
    FAIR.lock();
    FAIR.unlock();
  }

  private static void holdOften(Thread waiter, long ms) throws InterruptedException {
    synchronized (OFTEN) {
      hold(waiter, ms);
    }
  }

  private static void holdSeldom(Thread waiter, long ms) throws InterruptedException {
    synchronized (SELDOM) {
      hold(waiter, ms);
    }
  }

  private static void holdLock(ReentrantLock lock, Thread waiter, long ms) throws InterruptedException {
    lock.lock();
    try {
      hold(waiter, ms);
    } finally {
      lock.unlock();
    }
  }

  /** Has the other thread wait for so long. */
  private static void hold(Thread waiter, long ms) throws InterruptedException {
    holds = true;
    while (waiter.getState() != Thread.State.BLOCKED && waiter.getState() != Thread.State.WAITING) {
      Thread.sleep(1);
    }
    Thread.sleep(ms);
  }

  /** The waits of a thread of this name, and how many were at least as long as the limit. */
  private static String measured(String site, String name, int rounds, long ms, long limitMs) throws Exception {
    long[] sum = new long[2];
    for (int i = 0; i < rounds; i++) {
      holds = false;
      Thread waiter = newThread(site, name, () -> {
        while (!holds) {
          Thread.onSpinWait();
        }
        long begin = System.nanoTime();
        switch (site) {
          case "often" -> often();
          case "seldom" -> seldom();
          case "unfair" -> unfair();
          default -> fair();
        }
        long ns = System.nanoTime() - begin;
        sum[0] += ns;
        sum[1] += ns >= limitMs * 1_000_000 ? 1 : 0;
      });
      waiter.start();
      switch (site) {
        case "often" -> holdOften(waiter, ms);
        case "seldom" -> holdSeldom(waiter, ms);
        case "unfair" -> holdLock(UNFAIR, waiter, ms);
        default -> holdLock(FAIR, waiter, ms);
      }
      waiter.join();
    }
    return " " + site + " " + sum[1] + " " + sum[0];
  }

  private static boolean virtual;

  private static Thread newThread(String site, String name, Waiting body) throws Exception {
    Runnable task = () -> {
      try {
        body.run();
      } catch (Exception e) {
        throw new AssertionError(e);
      }
    };
    if (!virtual) {
      return new Thread(task, name);
    }
    Object builder = Thread.class.getMethod("ofVirtual").invoke(null); // JDK 21
    Class<?> type = Class.forName("java.lang.Thread$Builder");
    builder = type.getMethod("name", String.class).invoke(builder, name);
    return (Thread) type.getMethod("unstarted", Runnable.class).invoke(builder, task);
  }

  // --- Other locks, and what is not a lock.

  private static void kinds() throws Exception {
    blocked(SEMAPHORE::acquire, SEMAPHORE::release);
    blocked(() -> READ_WRITE.writeLock().lock(), () -> READ_WRITE.writeLock().unlock());
    long[] stamp = new long[1];
    blocked(() -> {
      long got = STAMPED.writeLock();
      stamp[0] = got;
    }, () -> STAMPED.unlockWrite(stamp[0]));
  }

  private static void blocked(Waiting acquire, Runnable release) throws Exception {
    acquire.run();
    Thread waiter = new Thread(() -> {
      try {
        acquire.run();
        release.run();
      } catch (Exception e) {
        throw new AssertionError(e);
      }
    }, "kinds");
    waiter.start();
    while (waiter.getState() != Thread.State.WAITING) {
      Thread.sleep(1);
    }
    Thread.sleep(50);
    release.run();
    waiter.join();
  }

  private static void waitsForWork() throws Exception {
    CountDownLatch latch = new CountDownLatch(1);
    CompletableFuture<String> future = new CompletableFuture<>();
    ArrayBlockingQueue<String> queue = new ArrayBlockingQueue<>(1);
    ReentrantLock lock = new ReentrantLock();
    Condition condition = lock.newCondition();
    Thread worker = new Thread(() -> {
      try {
        Thread.sleep(50);
        latch.countDown();
        Thread.sleep(50);
        future.complete("x");
        Thread.sleep(50);
        queue.put("x");
      } catch (InterruptedException e) {
        throw new AssertionError(e);
      }
    });
    worker.start();
    latch.await();
    future.get();
    queue.take();
    lock.lock();
    try {
      condition.await(50, TimeUnit.MILLISECONDS);
    } finally {
      lock.unlock();
    }
    synchronized (latch) {
      latch.wait(50);
    }
    LockSupport.parkNanos(50_000_000);
    LockSupport.parkNanos(latch, 50_000_000);
    Thread.sleep(50);
    worker.join();
  }

  // --- The agent's code in LockSupport.

  private static String parkedStack() throws Exception {
    Thread parked = new Thread(() -> LockSupport.park(OWN));
    parked.start();
    while (parked.getState() != Thread.State.WAITING) {
      Thread.sleep(1);
    }
    StringBuilder text = new StringBuilder();
    for (StackTraceElement frame : parked.getStackTrace()) {
      text.append(' ').append(frame.getClassName()).append('.').append(frame.getMethodName());
    }
    LockSupport.unpark(parked);
    parked.join();
    return text.toString();
  }

  private static int parks;
  private static int overflows;

  /** Parks at each depth, until there is no room on the stack. */
  private static void parkDeeper(int depth) {
    LockSupport.parkNanos(OWN, depth > 100 ? 100_000 : 1_000);
    parks++;
    try {
      parkDeeper(depth + 1);
    } catch (StackOverflowError e) {
      if (depth % 2 == 0) {
        throw e;
      }
      overflows++;
    }
    LockSupport.unpark(Thread.currentThread());
    LockSupport.park(OWN); // returns at once: a permit is there
  }

  private static String deep(int times) throws Exception {
    int[] done = new int[1];
    Throwable[] failed = new Throwable[1];
    Thread thread = new Thread(null, () -> {
      for (int i = 0; i < times; i++) {
        try {
          parkDeeper(0);
        } catch (StackOverflowError e) {
          overflows++;
        }
        UNFAIR.lock();
        done[0]++;
        UNFAIR.unlock();
      }
    }, "deep", 200 << 10);
    thread.setUncaughtExceptionHandler((t, e) -> failed[0] = e);
    thread.start();
    thread.join();
    if (failed[0] != null) {
      throw new AssertionError(failed[0]);
    }
    return " done " + done[0] + " parks " + (parks >= times) + " overflows " + (overflows >= times);
  }

  private static String answer(String[] words) throws Exception {
    switch (words[0]) {
      case "measure": { // measure ROUNDS OFTEN_MS SELDOM_MS [LIMIT_MS]
        int rounds = Integer.parseInt(words[1]);
        long often = Long.parseLong(words[2]);
        long seldom = Long.parseLong(words[3]);
        long limit = words.length > 4 ? Long.parseLong(words[4]) : 0;
        return "waits" + measured("often", "waiter-1", rounds, often, limit) + measured("seldom", "waiter-2", rounds, seldom, limit)
            + measured("unfair", "locker-1", rounds, often, limit) + measured("fair", "locker-2", rounds, seldom, limit);
      }
      case "virtual":
        virtual = true;
        return "virtual";
      case "kinds":
        kinds();
        return "kinds";
      case "work":
        waitsForWork();
        return "work";
      case "stack":
        return "stack" + parkedStack();
      case "deep":
        return "deep" + deep(Integer.parseInt(words[1]));
      default:
        throw new AssertionError(words[0]);
    }
  }

  public static void main(String[] args) throws Exception {
    System.out.println("ready");
    Scanner in = new Scanner(System.in);
    while (in.hasNextLine()) {
      System.out.println(answer(in.nextLine().split(" ")));
    }
    System.out.println("checksum " + (checksum >= 0));
  }
}
