package sampling;

import java.io.IOException;

/**
 * Burns CPU time in four threads, lets a native library take the signals, and then burns more. Arguments: library, its
 * action, milliseconds.
 */
public final class Thief {
  private static volatile long sink;

  private static native void take(int action);

  private static void before(long ns) {
    burn(ns);
  }

  private static void after(long ns) {
    burn(ns);
  }

  private static void burn(long ns) {
    long start = Clock.cpuNs();
    long x = start;
    while (Clock.cpuNs() - start < ns) {
      for (int i = 0; i < 2_000; i++) {
        x = x * 31 + i;
      }
    }
    sink = x;
  }

  /** The agent's thread ends when it notices this, which may take a while on a busy machine. */
  private static void awaitEndOfSampling() throws IOException, InterruptedException {
    for (int i = 0; i < 600 && Idle.samplerNs() >= 0; i++) {
      Thread.sleep(100);
    }
  }

  public static void main(String[] args) throws IOException, InterruptedException {
    long ns = Long.parseLong(args[2]) * 1_000_000;
    Clock.cpuNs(); // initialised here, outside of the measurement
    System.load(args[0]);
    before(ns);
    take(Integer.parseInt(args[1]));
    Thread[] threads = new Thread[4];
    for (int i = 0; i < threads.length; i++) {
      threads[i] = new Thread(() -> after(ns));
      threads[i].start();
    }
    awaitEndOfSampling();
    for (Thread thread : threads) {
      thread.join();
    }
    after(ns);
    System.out.println("lived");
  }
}
