package sampling;

import java.util.concurrent.locks.LockSupport;

/**
 * A thread that sleeps, one that is parked, and one that works, until the last has used the given number
 * of milliseconds.
 */
public final class Waits {
  private static volatile boolean done;
  private static volatile long sink;

  static void sleepy() {
    while (!done) {
      try {
        Thread.sleep(3_600_000);
      } catch (InterruptedException e) {
        // the end
      }
    }
  }

  static void parked() {
    while (!done) {
      LockSupport.park();
    }
  }

  static void works(Clock clock) {
    long x = 1;
    while (clock.running()) {
      for (int i = 0; i < 10_000; i++) {
        x = x * 31 + i;
      }
    }
    sink = x;
  }

  public static void main(String[] args) throws InterruptedException {
    Thread sleeper = new Thread(Waits::sleepy);
    Thread parker = new Thread(Waits::parked);
    sleeper.start();
    parker.start();
    works(new Clock(args));
    done = true;
    sleeper.interrupt();
    LockSupport.unpark(parker);
    sleeper.join();
    parker.join();
    System.out.println("sink " + sink);
  }
}
