package counting;

import java.util.concurrent.CountDownLatch;

/**
 * A thread holds the lock of a class loader during the attach. It prints "ready" before and waits for a line; after
 * that it releases the lock, and the loader's classes run.
 */
public final class GuardedLock {
  public static void main(String[] args) throws Exception {
    Guarded.Loader loader = new Guarded.Loader(Guarded.Unknown.REFUSES, "locked");
    Runnable task = (Runnable) loader.loadClass("counting.GuardedTask").getDeclaredConstructor().newInstance();
    task.run();
    CountDownLatch held = new CountDownLatch(1);
    CountDownLatch release = new CountDownLatch(1);
    Thread holder =
        new Thread(
            () -> {
              synchronized (loader) {
                held.countDown();
                try {
                  release.await();
                } catch (InterruptedException e) {
                  Thread.currentThread().interrupt();
                }
              }
            });
    holder.start();
    held.await();
    System.out.println("ready");
    System.in.read();
    task.run();
    release.countDown();
    holder.join();
    task.run();
    System.out.println("done");
  }
}
