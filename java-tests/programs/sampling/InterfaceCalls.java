package sampling;

/** A loop of interface calls with five receivers: most samples hit stubs, prologues and epilogues. */
public final class InterfaceCalls {
  interface Step {
    long apply(long x);
  }

  static final class Add implements Step {
    @Override
    public long apply(long x) {
      return x + 3;
    }
  }

  static final class Xor implements Step {
    @Override
    public long apply(long x) {
      return x ^ 0x5555;
    }
  }

  static final class Shift implements Step {
    @Override
    public long apply(long x) {
      return x + (x >>> 3);
    }
  }

  static final class Times implements Step {
    @Override
    public long apply(long x) {
      return x * 17;
    }
  }

  static final class Not implements Step {
    @Override
    public long apply(long x) {
      return ~x;
    }
  }

  static long round(Step[] steps, long x) {
    for (int i = 0; i < 1_000_000; i++) {
      x = steps[i % steps.length].apply(x);
    }
    return x;
  }

  public static void main(String[] args) {
    Step[] steps = {new Add(), new Xor(), new Shift(), new Times(), new Not()};
    Clock clock = new Clock(args);
    long sink = 0;
    while (clock.running()) {
      sink = round(steps, sink);
    }
    System.out.println("sink " + sink);
  }
}
