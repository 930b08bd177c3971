package sampling;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Virtual threads that burn CPU time and sometimes park, until the process has used the given number of milliseconds.
 */
public final class Virtual {
  private static final int THREADS = 8;
  private static volatile boolean done;
  private static volatile long sink;

  static long burn(long x) {
    for (int i = 0; i < 3_000_000; i++) {
      x = x * 6364136223846793005L + 1442695040888963407L;
    }
    return x;
  }

  static void runVirtually() {
    long x = 7;
    // Until it parks for the first time, a thread has its whole stack on the carrier.
    for (int i = 0; i < 30; i++) {
      x = burn(x);
    }
    try {
      while (!done) {
        x = burn(x);
        Thread.sleep(1);
      }
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
    sink = x;
  }

  public static void main(String[] args) throws Throwable {
    MethodHandle start = MethodHandles.lookup().findStatic(Thread.class, "startVirtualThread",
        MethodType.methodType(Thread.class, Runnable.class));
    CountDownLatch ended = new CountDownLatch(THREADS);
    for (int i = 0; i < THREADS; i++) {
      Thread thread = (Thread) start.invokeExact((Runnable) () -> {
        runVirtually();
        ended.countDown();
      });
      thread.setName("burner " + i);
    }
    Duration enough = Duration.ofMillis(Long.parseLong(args[0])).plus(used());
    while (used().compareTo(enough) < 0 && !ended.await(50, TimeUnit.MILLISECONDS)) {
      // the virtual threads are at work
    }
    done = true;
    ended.await();
    System.out.println("sink " + sink);
  }

  private static Duration used() {
    return ProcessHandle.current().info().totalCpuDuration().orElseThrow();
  }
}
