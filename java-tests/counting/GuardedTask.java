package counting;

/**
 * Runs in class loaders that know few names; see {@link Guarded}. The only JDK classes that it uses are Object
 * and Runnable.
 */
public final class GuardedTask implements Runnable {
  interface Step {
    int apply(int i);

    default int even(int i) {
      return i % 2 == 0 // @guarded.even
          ? apply(i) // @guarded.apply
          : plus(i);
    }

    static int plus(int i) {
      return i > 5 ? i : i + 1; // @guarded.static
    }
  }

  static class Same implements Step {
    @Override
    public int apply(int i) {
      return i;
    }
  }

  /** Its superclass is not Object. */
  static final class Less extends Same {
    @Override
    public int apply(int i) {
      return i - 1;
    }
  }

  static int sum;

  @Override
  public void run() {
    Step[] steps = {new Same(), new Less(), new Same()};
    for (int i = 0; i < 10; i++) { // @guarded.loop
      Step step = steps[i % 3];
      sum += step.even(i); // @guarded.call
      synchronized (step) {
        if (i == 3) sum++; // @guarded.three
      }
    }
  }

  /** The expected counts of this many runs. */
  static void expect(int runs) {
    String task = "counting.GuardedTask";
    Expect e = new Expect(GuardedTask.class);
    e.calls("run()V", runs);
    e.calls(task + "$Step", "even(I)I", 10 * runs);
    e.calls(task + "$Step", "plus(I)I", 5 * runs);
    e.calls(task + "$Same", "apply(I)I", 4 * runs);
    e.calls(task + "$Less", "apply(I)I", runs);
    e.branch("guarded.loop", runs, 10 * runs);
    e.value("guarded.even", 0, 5 * runs, 5 * runs);
    e.branch("guarded.static", 3 * runs, 2 * runs);
    e.branch("guarded.three", 9 * runs, runs);
    Expect.Tally met = new Expect.Tally().add(task + "$Same", 7 * runs).add(task + "$Less", 3 * runs);
    e.receivers("guarded.call", met);
    e.receivers("guarded.apply", new Expect.Tally().add(task + "$Same", 4 * runs).add(task + "$Less", runs));
    e.monitors(met);
  }
}
