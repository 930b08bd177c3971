package behaviour;

/** Switches as javac emits them: over numbers with gaps, strings (with equal hashes), enums, and as expressions. */
final class JavaSwitches {
  enum Colour { RED, GREEN, BLUE }

  private static final int[] NUMBERS = {Integer.MIN_VALUE, -1, 0, 1, 2, 3, 4, 5, 9, 10, 1000, Integer.MAX_VALUE};

  @SuppressWarnings("fallthrough")
  static void tDense() {
    for (int n : NUMBERS) {
      switch (n) {
        case 1: Sink.a("one");
        case 2: Sink.a("two"); break;
        case 4: Sink.a("four"); break;
        case 9: Sink.a("nine"); continue;
        default: Sink.a("other");
      }
      Sink.i(n);
    }
  }

  static void tSparse() {
    for (int n : NUMBERS) {
      long value = switch (n) {
        case Integer.MIN_VALUE -> -1L;
        case 1000, 10 -> 1000L;
        case Integer.MAX_VALUE -> {
          try {
            yield Math.addExact(n, 1);
          } catch (ArithmeticException e) {
            yield 5L;
          }
        }
        default -> n * 2L;
      };
      Sink.j(value);
    }
  }

  @SuppressWarnings("fallthrough")
  static void tStrings() {
    for (String s : new String[] {"Aa", "BB", "C", "", "AaAa", "BBBB", "none"}) {
      switch (s) {
        case "Aa": Sink.i(1); break;
        case "BB": Sink.i(2); break;
        case "AaAa": Sink.i(3);
        case "BBBB": Sink.i(4); break;
        case "": Sink.i(5); break;
        default: Sink.i(6);
      }
    }
    String none = null;
    switch (none) {
      case "x": Sink.i(7);
    }
  }

  static void tEnums() {
    for (Colour c : Colour.values()) {
      Sink.d(switch (c) {
        case RED -> 1.5;
        case GREEN -> 2.5;
        case BLUE -> Sink.tick(1) ? 3.5 : 4.5;
      });
    }
  }
}
