package sampling;

import java.lang.reflect.Method;

/**
 * Ends while virtual threads (from JDK 21 on) start, end and wait for memory. HotSpot stops its collectors
 * before it informs agents. From then on, threads that wait for memory wait forever, some of them in the middle
 * of being unmounted.
 */
public final class Ending {
  private Ending() {
  }

  // The frozen stack gets longer and longer, so that each yield needs memory for it.
  private static long descend(int depth, long x) {
    if (depth == 0) {
      Thread.yield();
      return x;
    }
    return descend(depth - 1, x + depth) + 1;
  }

  private static void live() {
    for (int depth = 1;; depth = depth % 300 + 7) {
      descend(depth, depth);
    }
  }

  // A stack that is longer than an agent's first buffer.
  private static void stay(int depth) {
    if (depth > 0) {
      stay(depth - 1);
      return;
    }
    try {
      Thread.sleep(Long.MAX_VALUE);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  public static void main(String[] args) throws Exception {
    Thread deep = new Thread(null, () -> stay(5000), "deep", 64 << 20);
    deep.setDaemon(true);
    deep.start();
    Method start = Thread.class.getMethod("startVirtualThread", Runnable.class);
    for (int i = 0; i < 500; i++) {
      start.invoke(null, (Runnable) Ending::live);
    }
    Thread.sleep(500);
    System.exit(0);
  }
}
