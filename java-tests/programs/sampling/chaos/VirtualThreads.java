package sampling.chaos;

import java.lang.reflect.Method;
import java.util.concurrent.locks.LockSupport;

/** Virtual threads that work, yield, and wait; a pause before JDK 21, which has none. */
final class VirtualThreads implements Burden.Body {
  private final Method start = find();

  private static Method find() {
    try {
      Method found = Thread.class.getMethod("startVirtualThread", Runnable.class);
      found.invoke(null, (Runnable) () -> { });
      return found;
    } catch (ReflectiveOperationException before21) {
      return null;
    }
  }

  @Override
  public void round() throws ReflectiveOperationException, InterruptedException {
    if (start == null) {
      Thread.sleep(20);
      return;
    }
    Thread[] all = new Thread[50];
    for (int i = 0; i < all.length; i++) {
      int number = i;
      all[i] = (Thread) start.invoke(null, (Runnable) () -> live(number));
    }
    for (Thread thread : all) {
      thread.join();
    }
  }

  private static void live(int number) {
    new Work().run();
    Thread.yield();
    if (number % 5 == 0) {
      LockSupport.parkNanos(1_000_000);
    }
    synchronized (VirtualThreads.class) { // pins its carrier on 21
      new Work().run();
    }
  }
}
