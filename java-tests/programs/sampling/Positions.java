package sampling;

import java.util.function.LongUnaryOperator;

/**
 * Calls behind tableswitches and lookupswitches at each of the four alignments, in loops, handlers, constructors and class
 * initialisers, from frames that stay for the whole run and from short ones. Argument: milliseconds of CPU time, or "-": rounds
 * until its input ends; then each line of input is answered with "round".
 */
public final class Positions {
  interface Shape {
    long area(long side);
  }

  static final class Square implements Shape {
    @Override
    public long area(long side) { return burn(side) * side; }
  }

  static final class Circle implements Shape {
    @Override
    public long area(long side) { return burn(side) * 3 + side; }
  }

  static final class Line implements Shape {
    @Override
    public long area(long side) { return burn(side + 1); }
  }

  static final class Late {
    static final long VALUE = initial();
    final long own;

    static long initial() {
      long x = 1;
      for (int i = 0; i < 2_000; i++) {
        x += burn(i);
      }
      return x;
    }

    Late(long seed) { own = burn(seed) + VALUE; }
  }

  private static final Shape[] SHAPES = {new Square(), new Circle(), new Line()};
  private static long sink;

  static long burn(long x) {
    long y = x;
    for (int i = 0; i < 40; i++) {
      y = y * 6364136223846793005L + (y >>> 17);
    }
    return y;
  }

  // The switches begin at 1, 2, 3 and 4.
  static long atOne(int k, long x) {
    switch (k) {
      case 0: return burn(x) + 1;
      case 1: return SHAPES[0].area(x);
      case 2: x = burn(x) + 2; break;
      default: x += 3;
    }
    return burn(x);
  }

  static long atTwo(int k, long x) {
    switch (-k) {
      case 0: return burn(x) + 1;
      case -1: return SHAPES[1].area(x);
      case -2: x = burn(x) + 2; break;
      default: x += 3;
    }
    return burn(x);
  }

  static long atThree(int k, long x) {
    switch (k + 1) {
      case 1: return burn(x) + 1;
      case 2: return SHAPES[2].area(x);
      case 3: x = burn(x) + 2; break;
      default: x += 3;
    }
    return burn(x);
  }

  static long atFour(int k, long x) {
    switch (k * 77) {
      case 0: return burn(x) + 1;
      case 77: return SHAPES[0].area(x);
      case 154: x = burn(x) + 2; break;
      default: x += 3;
    }
    return burn(x);
  }

  static long loopOne(int n, long x) {
    for (int i = 0; i < n; i++) {
      switch (i & 3) {
        default: x = burn(x); break;
        case 0: x = SHAPES[1].area(x); break;
        case 1: x = burn(x + 1); break;
        case 2: x += burn(i);
      }
    }
    return x;
  }

  static long loopTwo(int n, long x) {
    for (int i = 0; i < n; i++) {
      switch (-(i & 3)) {
        default: x = burn(x); break;
        case 0: x = SHAPES[1].area(x); break;
        case -1: x = burn(x + 1); break;
        case -2: x += burn(i);
      }
    }
    return x;
  }

  static long loopThree(int n, long x) {
    for (int i = 0; i < n; i++) {
      switch ((i & 3) + 1) {
        default: x = burn(x); break;
        case 1: x = SHAPES[1].area(x); break;
        case 2: x = burn(x + 1); break;
        case 3: x += burn(i);
      }
    }
    return x;
  }

  static long loopFour(int n, long x) {
    for (int i = 0; i < n; i++) {
      switch ((i & 3) * 77) {
        default: x = burn(x); break;
        case 0: x = SHAPES[1].area(x); break;
        case 77: x = burn(x + 1); break;
        case 154: x += burn(i);
      }
    }
    return x;
  }

  static long nested(int k, long x) {
    long sum = 0;
    for (int i = 0; i < 3; i++) {
      switch (k + i) {
        case 1:
          switch (i) {
            case 0: sum += atOne(i, x); break;
            case 1: sum += burn(x); break;
            default: sum += 2;
          }
          sum += burn(sum);
          break;
        case 3: sum += atTwo(i, x); break;
        case 4: sum += SHAPES[i % SHAPES.length].area(x); continue;
        default: sum += atFour(i, x);
      }
      sum += burn(sum);
    }
    return sum;
  }

  static long mayThrow(int k, long x) {
    try {
      switch (k) {
        case 0: return burn(x);
        case 1: throw new IllegalStateException();
        default: return atThree(k, x) + burn(x);
      }
    } catch (IllegalStateException e) {
      return burn(x) + atOne(2, x);
    } finally {
      sink += burn(x);
    }
  }

  static long applied(LongUnaryOperator operator, long x) { return operator.applyAsLong(x) + burn(x); }

  static long recursive(int depth, long x) {
    switch (depth & 3) {
      case 0: x += burn(x); break;
      case 2: x += SHAPES[depth % SHAPES.length].area(x); break;
      default: x++;
    }
    return depth == 0 ? x : recursive(depth - 1, x) + 1;
  }

  static long round(long seed) {
    long sum = seed;
    for (int k = 0; k < 4; k++) {
      sum += atOne(k, sum) + atTwo(k, sum) + atThree(k, sum) + atFour(k, sum);
      sum += loopOne(4, sum) + loopTwo(4, sum) + loopThree(4, sum) + loopFour(4, sum);
      sum += nested(k, sum) + mayThrow(k, sum) + recursive(6, sum);
      for (Shape shape : SHAPES) {
        sum += shape.area(sum);
      }
      sum += applied(x -> burn(x) + 1, sum) + new Late(sum).own;
    }
    return sum;
  }

  static void rounds(int count) {
    for (int i = 0; i < count; i++) {
      sink += round(i);
    }
  }

  public static void main(String[] args) throws Exception {
    if (!args[0].equals("-")) {
      Clock clock = new Clock(args);
      while (clock.running()) {
        rounds(200);
      }
      System.out.println("done " + sink);
      return;
    }
    System.out.println("ready");
    // For the whole run, so that it goes on in the code of its beginning.
    for (int c = System.in.read(); c >= 0; c = System.in.read()) {
      if (c != '\n') {
        continue;
      }
      Clock clock = new Clock(new String[] {"700"});
      while (clock.running()) {
        rounds(100);
      }
      System.out.println("round");
    }
  }
}
