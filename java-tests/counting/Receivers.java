package counting;

import counting.Expect.Tally;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.function.IntUnaryOperator;

/** Every kind of call with a receiver, and every kind of receiver; also calls without one that is counted. */
public final class Receivers {
  private static final Tally areas = new Tally(), throughBase = new Tally(), doubled = new Tally();
  private static final Tally halves = new Tally(), nulls = new Tally(), hashes = new Tally(), clones = new Tally();
  private static final Tally before = new Tally(), texts = new Tally(), applied = new Tally(), colours = new Tally();
  private static final Tally records = new Tally(), wide = new Tally(), bridged = new Tally(), nested = new Tally();
  private static final Tally finals = new Tally(), chosen = new Tally(), thrown = new Tally(), lists = new Tally();
  private static final Tally iterators = new Tally(), early = new Tally(), always = new Tally();
  private static final Tally beforeToo = new Tally(), arguments = new Tally(), returned = new Tally(), caught = new Tally();
  private static final Tally unmade = new Tally();
  private static long ended;

  interface Shape {
    int area();

    default int doubled() {
      return half() * 4; // @privateOfInterface
    }

    private int half() {
      halves.add(this);
      return area() / 2; // @half
    }
  }

  abstract static class Base implements Shape {
    abstract int sides();

    final int always() {
      always.add(this);
      return sides(); // @always
    }

    private int secret() {
      return 3;
    }

    int callsSecret() {
      return secret() + always(); // @ownPrivateAndFinal
    }

    int overridden() {
      return 1;
    }
  }

  static final class Square extends Base {
    final int side;

    Square(int side) {
      this.side = side;
    }

    int compareSide(int x) {
      return Integer.compare(x, side);
    }

    @Override
    public int area() {
      return side * side;
    }

    @Override
    int sides() {
      return 4;
    }

    @Override
    int overridden() {
      return super.overridden() + 1; // @super
    }
  }

  static class Triangle extends Base {
    @Override
    public int area() {
      return 5;
    }

    @Override
    public int doubled() {
      return super.doubled() + 1; // @superThroughParent
    }

    @Override
    int sides() {
      return 3;
    }
  }

  static final class Flat extends Triangle {
    @Override
    public int area() {
      return 0;
    }
  }

  record Box(int width, int height) implements Shape {
    @Override
    public int area() {
      return width * height;
    }

    @Override
    public int doubled() {
      return Shape.super.doubled() + 2; // @superOfInterface
    }
  }

  enum Colour implements Shape {
    RED,
    GREEN {
      @Override
      public int area() {
        return 2;
      }
    };

    @Override
    public int area() {
      return 1;
    }
  }

  /** A generic parent makes javac add a bridge to the child, which calls the real method. */
  abstract static class Source<T> {
    abstract int take(T value);
  }

  static final class Lengths extends Source<String> {
    @Override
    int take(String value) { // @bridge
      return value.length();
    }
  }

  /** Calls objects of other classes while this one is still being constructed. */
  static final class Late extends Base {
    final int area;

    Late(Shape other, Shape another) {
      this(other.area() + (another == null ? 0 : another.area())); // @beforeThis
      before.add(other);
      beforeToo.add(another);
    }

    private Late(int area) {
      super();
      this.area = area;
    }

    @Override
    public int area() {
      return area;
    }

    @Override
    int sides() {
      return 0;
    }
  }

  static class Parent {
    final int seen;

    Parent(int seen) {
      this.seen = seen + self(); // @inConstructor
    }

    int self() {
      early.add(this);
      return 1;
    }
  }

  static final class Child extends Parent {
    Child(Object argument) {
      super(((CharSequence) argument.toString()).length()); // @beforeSuper
      arguments.add(argument);
    }

    @Override
    int self() {
      early.add(this);
      return 2;
    }
  }

  private final int secret = 7;

  private int ofTheOuter() {
    return secret;
  }

  static final class Nested {
    int reach(Receivers outer) {
      nested.add(outer);
      return outer.ofTheOuter(); // @nestmate
    }
  }

  /** The receiver is below arguments of every width. */
  interface Wide {
    long sum(long a, int b, double c, Object d, float e, byte f, char g, boolean h, long i, short j, int[] k, double l);
  }

  static final class Wider implements Wide {
    @Override
    public long sum(long a, int b, double c, Object d, float e, byte f, char g, boolean h, long i, short j, int[] k, double l) {
      return a + b + (long) c + d.hashCode() + (long) e + f + g + (h ? 1 : 0) + i + j + k[0] + (long) l;
    }
  }

  static final class Widest implements Wide {
    @Override
    public long sum(long a, int b, double c, Object d, float e, byte f, char g, boolean h, long i, short j, int[] k, double l) {
      return 1;
    }
  }

  static final class Throws implements Shape {
    @Override
    public int area() {
      throw new Exceptions.Boom(1);
    }
  }

  private static int area(Shape shape) {
    areas.add(shape);
    return shape.area(); // @area
  }

  private static int ofBase(Base base) {
    throughBase.add(base);
    return base.area() + base.sides(); // @throughBase
  }

  private static int twice(Shape shape) {
    doubled.add(shape);
    return shape.doubled(); // @doubled
  }

  private static int nullable(Shape shape) {
    nulls.add(shape);
    try {
      return shape.area(); // @nullable
    } catch (NullPointerException none) {
      return -1;
    }
  }

  private static int hash(Object object) {
    hashes.add(object);
    return object.hashCode(); // @hash
  }

  private static int cloned(int[] array, String[] names) {
    clones.add(array);
    return array.clone().length + names.clone().length; // @clone
  }

  private static int length(CharSequence text) {
    texts.add(text);
    return text.length(); // @length
  }

  private static int apply(IntUnaryOperator f, int x) {
    applied.add(f);
    return f.applyAsInt(x); // @apply
  }

  private static int ordinal(Colour colour) {
    colours.add(colour);
    return colour.ordinal() + colour.area(); // @colour
  }

  private static int recorded(Box box, Object other) {
    records.add(box);
    return (box.equals(other) ? 1 : 0) + box.width(); // @record
  }

  private static long wide(Wide target, int i) {
    wide.add(target);
    return target.sum(i, 2, 3.0, "x", 5f, (byte) 6, 'c', true, 9L, (short) 10, new int[] {i}, 12.0); // @wide
  }

  private static int bridge(Source<String> source) {
    bridged.add(source);
    return source.take("four"); // @generic
  }

  /** The new object is on the stack, not yet constructed, when the method of its argument is called. */
  private static int made(Shape shape) {
    unmade.add(shape);
    return new Square(shape.area()).side; // @unmade
  }

  private static int ofFinal(Base base) {
    finals.add(base);
    return base.always(); // @finalOfAnother
  }

  /** The call is where two paths meet. */
  private static int choose(boolean first, Shape a, Shape b) {
    chosen.add(first ? a : b);
    return (first ? a : b).area(); // @choose
  }

  /** The compiler emits the finally block three times: after the return, after the catch, and for all other exits. */
  private static int throwing(Shape shape) {
    thrown.add(shape);
    try {
      int area = shape.area(); // @throwing
      returned.add(shape);
      return area;
    } catch (Exceptions.Boom boom) {
      caught.add(shape);
      return 1;
    } finally {
      ended += shape.hashCode(); // @finally
    }
  }

  private static int all(List<Shape> shapes) {
    int sum = 0;
    lists.add(shapes);
    Iterator<Shape> iterator = shapes.iterator(); // @iterator
    while (true) {
      iterators.add(iterator);
      if (!iterator.hasNext()) return sum; // @hasNext
      sum += iterator.next() == null ? 1 : 2;
    }
  }

  static long run(int rounds) {
    Square square = new Square(3);
    Triangle triangle = new Triangle();
    Flat flat = new Flat();
    Box box = new Box(2, 3);
    Base[] bases = {square, triangle, flat, square};
    Shape[] shapes = {square, triangle, flat, box, Colour.RED, Colour.GREEN, new Late(box, null)};
    Shape[] some = {square, null, box, triangle, null};
    Object[] objects = {
      new int[1], new String[1], new long[2][2], new Shape[0], "text", Shape.class, Colour.RED, 17, 'c', new Object()
    };
    CharSequence[] texts = {"string", new StringBuilder("builder"), new StringBuffer("buffer")};
    IntUnaryOperator[] functions = {
      x -> x + 1, x -> x * x, square::compareSide, Math::abs, new IntUnaryOperator() {
        @Override
        public int applyAsInt(int x) {
          return x - 1;
        }
      }
    };
    Wide[] wides = {new Wider(), new Widest(), new Wider()};
    Throws throwing = new Throws();
    Receivers outer = new Receivers();
    Nested inner = new Nested();
    Source<String> lengths = new Lengths();
    List<Shape> list = new ArrayList<>(List.of(shapes));
    List<Shape> fixed = List.of(square, box);
    long sum = 0;
    for (int i = 0; i < rounds; i++) {
      Shape shape = shapes[i % shapes.length];
      sum += made(shape) + area(shape) + twice(shape) + nullable(some[i % some.length]);
      sum += ofBase(bases[i % bases.length]) + ofFinal(bases[i % 3]);
      sum += bases[i % 4].overridden() + bases[i % 4].callsSecret();
      sum += hash(objects[i % objects.length]) & 1;
      sum += cloned(new int[i & 3], new String[1]) + length(texts[i % 3]) + apply(functions[i % functions.length], i);
      sum += ordinal((i & 1) == 0 ? Colour.RED : Colour.GREEN) + recorded(box, objects[i % objects.length]);
      sum += wide(wides[i % 3], i) + bridge(lengths) + inner.reach(outer);
      sum += choose((i & 1) == 0, shape, box) + throwing((i & 7) == 0 ? throwing : shape);
      if ((i & 15) == 0) sum += all((i & 16) == 0 ? list : fixed);
      if ((i & 15) == 1) sum += new Late(shape, (i & 16) == 1 ? null : box).area();
      if ((i & 15) == 2) sum += new Child(i).seen + new Parent(1).seen;
    }
    return sum;
  }

  static void expect() {
    Expect e = new Expect(Receivers.class);
    e.receivers("unmade", unmade);
    e.receivers("area", areas);
    e.receivers("throughBase", 0, throughBase);
    e.receivers("throughBase", 1, throughBase);
    e.receivers("doubled", doubled);
    e.receivers("privateOfInterface", new Tally());
    e.receivers("half", halves);
    e.receivers("ownPrivateAndFinal", 0, new Tally());
    e.receivers("ownPrivateAndFinal", 1, new Tally());
    e.special("super", 0);
    e.special("superOfInterface", 0);
    e.special("superThroughParent", 0);
    e.receivers("nullable", nulls);
    e.receivers("hash", hashes);
    e.receivers("clone", 0, clones);
    e.receivers("clone", 1, new Tally().add(String[].class, clones.total()));
    e.receivers("length", texts);
    e.receivers("apply", applied);
    e.receivers("colour", 0, colours);
    e.receivers("colour", 1, colours);
    e.receivers("record", 0, records);
    e.receivers("record", 1, records);
    e.receivers("wide", wide);
    e.receivers("generic", bridged);
    e.receivers("nestmate", nested);
    e.receivers("finalOfAnother", finals);
    e.receivers("choose", chosen);
    e.receivers("throwing", thrown);
    e.receivers("finally", 0, returned);
    e.receivers("finally", 1, caught);
    e.receivers("finally", 2, new Tally());
    e.receivers("iterator", lists);
    e.receivers("hasNext", iterators);
    e.receivers("inConstructor", early);
    e.receivers("always", always);
    e.receivers("beforeThis", 0, before);
    e.receivers("beforeThis", 1, beforeToo);
    e.receivers("beforeSuper", 0, arguments);
    e.receivers("beforeSuper", 1, new Tally().add(String.class, arguments.total()));
  }

  private Receivers() {}
}
