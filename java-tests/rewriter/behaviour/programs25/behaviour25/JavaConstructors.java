package behaviour25;

import behaviour.Sink;

/** Statements before super() and this(), as Java 25 allows them: branches, loops, try, field writes. */
final class JavaConstructors {
  static class Base {
    final long seen;

    Base(long value) {
      seen = value;
      hook();
    }

    void hook() {}
  }

  static final class Derived extends Base {
    private int early;
    private final String name;

    Derived(int n, String name) {
      if (n < 0) throw new IllegalArgumentException("n=" + n);
      long sum = 0;
      for (int i = 0; i < n; i++) {
        if (i % 3 == 1) continue;
        long step = switch (i % 4) {
          case 0 -> 1;
          case 2 -> 2L * i;
          default -> {
            try {
              yield Integer.parseInt("x".repeat(i % 2) + i);
            } catch (NumberFormatException e) {
              yield -5;
            }
          }
        };
        sum += step;
      }
      early = (int) sum + 1;
      this.name = name == null ? "none" : name;
      super(sum > 10 ? sum : -sum);
      Sink.a(this.name);
      Sink.j(seen);
    }

    Derived(String text) {
      int length = text.isEmpty() ? 3 : text.length();
      Runnable hello = () -> Sink.a("before this: " + length);
      hello.run();
      this(length, text);
    }

    @Override
    void hook() {
      Sink.i(early);
      Sink.a(name);
    }
  }

  static void tBeforeSuper() {
    for (int n : new int[] {0, 1, 5, 12}) new Derived(n, n == 5 ? null : "n" + n);
    new Derived("");
    new Derived("seven!!");
    new Derived(-1, "never");
  }

  class Inner {
    final int value;

    Inner(int v) {
      int doubled = v > 2 ? v * 2 : v;
      super();
      value = doubled;
    }
  }

  static void tInner() {
    JavaConstructors outer = new JavaConstructors();
    Sink.i(outer.new Inner(2).value + outer.new Inner(5).value);
  }
}
