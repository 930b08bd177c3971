package counting;

import java.util.ArrayList;
import java.util.List;

/** Constructors and initialisers, interfaces with code, bridges, records, enums, nested and synchronized methods. */
final class Objects {
  private static long bases, baseSmall, derived, delegated, blocks, blockOdd;

  static class Base {
    final int x;

    Base(int x) {
      bases++;
      if (x < 3) baseSmall++; // @base
      this.x = x;
    }
  }

  static class Derived extends Base {
    int y;

    {
      blocks++;
      if ((x & 1) == 1) blockOdd++; // @block
      y = x;
    }

    /** A branch before the call of the superclass's constructor. */
    Derived(int x, boolean twice) {
      super(twice ? 2 * x : x); // @before
      derived++;
    }

    /** Has no initialiser block: it runs in the constructor that this one calls. */
    Derived(int x) {
      this(x, x > 5); // @delegate
      delegated++;
    }
  }

  private static long twice, greater;

  static class Initialised {
    static int total;

    static {
      for (int i = 0; i < 10; i++) { // @clinitLoop
        if (i % 3 == 0) total += i; // @clinitIf
      }
    }
  }

  static class NeverInitialised {
    static int total;

    static {
      total = Integer.getInteger("counting.none", 1);
    }
  }

  interface Shape extends Comparable<Shape> {
    int area();

    default int doubled() {
      return half() * 4;
    }

    private int half() {
      return area() / 2;
    }

    static Shape of(int a) {
      return a % 2 == 0 ? new Square(a) : new Line(); // @of
    }

    @Override
    default int compareTo(Shape other) {
      return Integer.compare(area(), other.area());
    }
  }

  record Square(int side) implements Shape {
    Square {
      if (side < 0) throw new IllegalArgumentException(); // @side
    }

    @Override
    public int area() {
      return side * side;
    }
  }

  static final class Line implements Shape {
    @Override
    public int area() {
      return 0;
    }

    @Override
    public int doubled() {
      return Shape.super.doubled() + 1;
    }
  }

  /** Has bridges: get()Object in addition to get()String, and accept(Object) in addition to accept(String). */
  abstract static class Source<T> {
    abstract T get();

    abstract int accept(T value);
  }

  static final class Strings extends Source<String> {
    @Override
    String get() {
      return "s";
    }

    @Override
    int accept(String value) {
      return value.length();
    }
  }

  enum Operation {
    PLUS {
      @Override
      int apply(int a, int b) {
        return a + b;
      }
    },
    TIMES {
      @Override
      int apply(int a, int b) {
        return a * b;
      }
    };

    abstract int apply(int a, int b);
  }

  private int state;

  private synchronized int locked(int x) {
    state += x;
    return state;
  }

  private static synchronized int staticLocked(int x) {
    return x + 1;
  }

  private int blocked(int x) {
    synchronized (this) {
      if (x > 10) state++; // @blocked
    }
    return state;
  }

  private static int varargs(int... xs) {
    return xs.length == 0 ? 0 : xs[0]; // @varargs
  }

  private final class Inner {
    private int read() {
      return state;
    }
  }

  @Override
  public boolean equals(Object o) {
    return o instanceof Objects && ((Objects) o).state == state; // @equals
  }

  @Override
  public int hashCode() {
    return state;
  }

  private static long rounds, even, lines, squares, blockedBig;

  static long run(int times) {
    long sum = Initialised.total;
    rounds = times;
    Objects me = new Objects();
    Strings strings = new Strings();
    Source<String> source = strings;
    List<Shape> shapes = new ArrayList<>();
    for (int i = 0; i < times; i++) {
      int x = i % 10;
      if (i % 4 == 0) {
        sum += new Derived(x).y;
        if (x > 5) {
          greater++;
          twice++;
        }
      } else {
        sum += new Derived(x, i % 4 == 1).y;
        if (i % 4 == 1) twice++;
      }
      Shape shape = Shape.of(x);
      if (x % 2 == 0) squares++; else lines++;
      sum += shape.doubled();
      if (shapes.size() < 100) shapes.add(shape);
      sum += source.get().length() + source.accept("ab") + strings.accept("abc");
      sum += Operation.values()[i % 2].apply(i, x);
      sum += me.locked(x) + staticLocked(x) + me.blocked(i % 20) + varargs() + varargs(1, 2);
      if (i % 20 > 10) blockedBig++;
      sum += me.new Inner().read();
      if (me.equals(i % 2 == 0 ? me : strings)) even++;
    }
    java.util.Collections.sort(shapes);
    if (times < 0) sum += NeverInitialised.total;
    return sum;
  }

  static void expect() {
    Expect base = new Expect(Base.class);
    base.calls("<init>(I)V", bases);
    base.branch("base", bases - baseSmall, baseSmall);
    Expect d = new Expect(Derived.class);
    d.calls("<init>(IZ)V", derived);
    d.calls("<init>(I)V", delegated);
    d.branch("block", blocks - blockOdd, blockOdd);
    d.branch("before", derived - twice, twice);
    d.branch("delegate", delegated - greater, greater);
    Expect c = new Expect(Initialised.class);
    c.calls("<clinit>()V", 1);
    c.branch("clinitLoop", 1, 10);
    c.branch("clinitIf", 6, 4);
    new Expect(NeverInitialised.class).calls("<clinit>()V", 0);
    Expect shape = new Expect(Shape.class);
    shape.calls("doubled()I", rounds);
    shape.calls("half()I", rounds);
    shape.calls("of(I)Lcounting/Objects$Shape;", rounds);
    shape.branch("of", lines, squares);
    Expect square = new Expect(Square.class);
    square.calls("<init>(I)V", squares);
    square.branch("side", squares, 0);
    Expect line = new Expect(Line.class);
    line.calls("<init>()V", lines);
    line.calls("doubled()I", lines);
    Expect s = new Expect(Strings.class);
    s.calls("get()Ljava/lang/String;", rounds);
    s.calls("get()Ljava/lang/Object;", rounds);
    s.calls("accept(Ljava/lang/Object;)I", rounds);
    s.calls("accept(Ljava/lang/String;)I", 2 * rounds);
    new Expect(Operation.PLUS.getClass()).calls("apply(II)I", rounds - rounds / 2);
    new Expect(Operation.TIMES.getClass()).calls("apply(II)I", rounds / 2);
    new Expect(Operation.class).calls("<init>(Ljava/lang/String;I)V", 2);
    new Expect(Operation.class).calls("<clinit>()V", 1);
    Expect e = new Expect(Objects.class);
    e.calls("<init>()V", 1);
    e.calls("locked(I)I", rounds);
    e.calls("staticLocked(I)I", rounds);
    e.calls("blocked(I)I", rounds);
    e.branch("blocked", rounds - blockedBig, blockedBig);
    e.calls("varargs([I)I", 2 * rounds);
    e.branch("varargs", 0, rounds, rounds);
    e.calls("equals(Ljava/lang/Object;)Z", rounds);
    e.value("equals", 0, rounds - even, even);
    e.branch("equals", 1, 0, even);
    new Expect(Inner.class).calls("read()I", rounds);
  }
}
