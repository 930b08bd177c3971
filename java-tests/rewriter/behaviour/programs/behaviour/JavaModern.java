package behaviour;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.IntBinaryOperator;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Records, sealed types, lambdas, string concatenation, nestmates, generics with bridges, text blocks, patterns. */
final class JavaModern {
  sealed interface Shape permits Circle, Box, Nothing {}

  record Circle(double radius) implements Shape {
    Circle {
      if (radius < 0) throw new IllegalArgumentException("radius " + radius);
    }
  }

  record Box(int width, long height, String name) implements Shape {
    Box(int width) {
      this(width > 3 ? 3 : width, width < 0 ? -1L : 5L, width == 0 ? "zero" : "box" + width);
    }
  }

  enum Nothing implements Shape {
    NOTHING {
      @Override
      int weight() {
        return 7;
      }
    };

    abstract int weight();
  }

  private static double area(Shape shape) {
    if (shape instanceof Circle c && c.radius() > 1) return c.radius() * 3;
    if (shape instanceof Box box) return box.width() * box.height();
    return -1;
  }

  static void tRecords() {
    for (Shape s : List.of(new Circle(2), new Circle(0.5), new Box(0), new Box(2), new Box(9), Nothing.NOTHING)) {
      Sink.a(s);
      Sink.d(area(s));
      Sink.a(s.equals(new Box(2)));
    }
    Sink.i(Nothing.NOTHING.weight());
    Sink.i(new Box(3).hashCode() == new Box(5).hashCode() ? 1 : 0);
    new Circle(-1);
  }

  static void tLambdas() {
    long captured = 40L;
    String text = "t";
    IntBinaryOperator add = (a, b) -> (int) (a + b + captured);
    Supplier<List<String>> list = ArrayList::new;
    Function<Integer, Function<Integer, String>> nested = a -> b -> text + a + b + captured;
    Comparator<String> order = Comparator.comparing(String::length).thenComparing(Comparator.reverseOrder());
    List<String> words = list.get();
    words.addAll(List.of("pear", "fig", "apple", "kiwi"));
    words.sort(order);
    Sink.i(add.applyAsInt(1, 2));
    Sink.a(nested.apply(1).apply(2));
    Sink.a(words);
    Map<Integer, List<String>> byLength =
        words.stream().collect(Collectors.groupingBy(String::length, TreeMap::new, Collectors.toList()));
    Sink.a(byLength);
    Sink.i(IntStream.range(0, 100).filter(i -> i % 7 == 0).map(i -> i * i).sum());
  }

  static void tConcatenation() {
    byte b = 1;
    char c = 'c';
    Object nothing = null;
    String s = b + "x" + c + 1.5f + 2.5 + 3L + nothing + true + """
        block
        """;
    s += s.length();
    Sink.a(s);
  }

  private int secret = 3;

  private class Inner {
    private int other = secret * 2;

    private int both() {
      secret += other;
      return secret;
    }

    class Innermost {
      private long sum = secret + other;
    }
  }

  static void tNestmates() {
    JavaModern outer = new JavaModern();
    Inner inner = outer.new Inner();
    Sink.i(inner.both());
    Inner.Innermost innermost = inner.new Innermost();
    Sink.j(innermost.sum);
    innermost.sum++;
    inner.other--;
    Sink.j(innermost.sum + inner.other);
    int local = outer.secret;
    class Local {
      private final int kept = local + inner.other;
    }
    Sink.i(new Local().kept);
  }

  private abstract static class Base<T> {
    abstract T make(T from);

    T twice(T from) {
      return make(make(from));
    }
  }

  private static final class Doubling extends Base<Long> {
    @Override
    Long make(Long from) {
      return from * 2;
    }
  }

  @SuppressWarnings({"unchecked", "rawtypes"})
  static void tBridges() {
    Sink.j(new Doubling().twice(5L));
    Base raw = new Doubling();
    raw.make("not a number");
  }

  static void tAssertionsAndTernaries() {
    long a = 1;
    for (int i = 0; i < 5; i++) {
      a = (i & 1) == 0 ? a + (i > 2 ? i : -i) : a << (i == 3 ? 2 : 1);
      assert a < 1000 : "large";
    }
    Sink.j(a);
    boolean x = a > 3 && a < 100 || a == -1;
    boolean y = !(a > 3 ^ x);
    Sink.a(x & y | !y);
  }
}
