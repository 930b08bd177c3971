package counting;

/**
 * Runs as a class of Java 1.4, in a class loader of its own; see {@link Guarded}. HotSpot accepts fewer names of
 * members and classes in such class files. It uses only what that version knows.
 */
public class GuardedOld implements Runnable {
  static class Doubling extends GuardedOld {
    @Override
    int step(int i) {
      return 2 * i;
    }
  }

  static int sum;

  int step(int i) {
    return i + 1;
  }

  @Override
  public void run() {
    GuardedOld[] all = {new GuardedOld(), new Doubling()};
    for (int i = 0; i < 10; i++) { // @old.loop
      GuardedOld one = all[i % 2];
      sum += one.step(i); // @old.call
      synchronized (one) {
        if (i == 3) sum++; // @old.three
      }
    }
  }
}
