import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntUnaryOperator;

/**
 * A library whose calls and branches do different things for different callers, in known numbers: each caller runs `times` times
 * in each of the rounds, and every hundredth or so is different from the others, always at the same place of a hundred.
 */
public final class Contexts {
  interface Shape {
    int area();
  }

  record Square(int side) implements Shape {
    @Override
    public int area() {
      return side * side;
    }
  }

  record Circle(int radius) implements Shape {
    @Override
    public int area() {
      return 3 * radius * radius;
    }
  }

  record Strip(int length) implements Shape {
    @Override
    public int area() {
      return length;
    }
  }

  private static final Shape SQUARE = new Square(2);
  private static final Shape CIRCLE = new Circle(3);
  private static final Shape STRIP = new Strip(4);

  private static long sum;

  // The library.

  static void measure(Shape shape) {
    sum += shape.area();
  }

  static void pick(int x, int limit) {
    if (x < limit) {
      sum += 1;
    } else {
      sum += 2;
    }
  }

  static void forward(Shape shape) {
    measure(shape);
  }

  static void descend(int depth, Shape shape) {
    if (depth > 0) {
      descend(depth - 1, shape);
    } else {
      measure(shape);
    }
  }

  // Its callers.

  static void squares(int times) {
    for (int i = 0; i < times; ++i) measure(i % 100 < 99 ? SQUARE : CIRCLE);
  }

  static void circles(int times) {
    for (int i = 0; i < times; ++i) measure(CIRCLE);
  }

  static void forwardedSquares(int times) {
    for (int i = 0; i < times; ++i) forward(SQUARE);
  }

  static void forwardedStrips(int times) {
    for (int i = 0; i < times; ++i) forward(i % 100 < 98 ? STRIP : SQUARE);
  }

  static void deepCircles(int times) {
    for (int i = 0; i < times; ++i) descend(3, CIRCLE);
  }

  static void deepStrips(int times) {
    for (int i = 0; i < times; ++i) descend(3, STRIP);
  }

  static void lambdas(int times) {
    final IntUnaryOperator squares = i -> {
      measure(SQUARE);
      return i;
    };
    final IntUnaryOperator strips = i -> {
      measure(STRIP);
      return i;
    };
    for (int i = 0; i < times; ++i) sum += squares.applyAsInt(i) + strips.applyAsInt(i);
  }

  static void seldom(int times) {
    for (int i = 0; i < times; ++i) pick(i % 100, 1);
  }

  static void often(int times) {
    for (int i = 0; i < times; ++i) pick(i % 100, 99);
  }

  static void half(int times) {
    for (int i = 0; i < times; ++i) pick(i % 100, 50);
  }

  static void streamedTwice(List<Integer> all) {
    all.stream().map(x -> x * 2).forEach(x -> sum += x);
  }

  static void streamedOnce(List<Integer> all) {
    all.stream().map(x -> x + 1).forEach(x -> sum += x);
  }

  private static void round(int times, List<Integer> numbers) {
    squares(times);
    circles(times);
    forwardedSquares(times);
    forwardedStrips(times);
    deepCircles(times);
    deepStrips(times);
    lambdas(times);
    seldom(times);
    often(times);
    half(times);
    streamedTwice(numbers);
    streamedOnce(numbers);
  }

  private static List<Integer> numbers(int times) {
    final List<Integer> numbers = new ArrayList<>();
    for (int i = 0; i < times; ++i) numbers.add(i);
    return numbers;
  }

  private static void run(int rounds, int times) {
    final List<Integer> numbers = numbers(times);
    for (int i = 0; i < rounds; ++i) round(times, numbers);
  }

  /** Until the process has used that much CPU time. */
  private static void runUntil(Duration used, int times) {
    final List<Integer> numbers = numbers(times);
    int rounds = 0;
    for (; ProcessHandle.current().info().totalCpuDuration().orElseThrow().compareTo(used) < 0; ++rounds) round(times, numbers);
    System.out.println("rounds " + rounds);
  }

  public static void main(String[] args) throws InterruptedException {
    final int times = Integer.parseInt(args[1]);
    if (args[0].startsWith("PT")) {
      runUntil(Duration.parse(args[0]), times);
      return;
    }
    final int rounds = Integer.parseInt(args[0]);
    if (args.length > 2) {
      startVirtual(() -> run(rounds, times)).join();
    } else {
      run(rounds, times);
    }
    if (sum == 42) System.out.println("forty-two");
  }

  // By reflection, because it compiles for JVMs without virtual threads.
  private static Thread startVirtual(Runnable task) {
    try {
      return (Thread) Thread.class.getMethod("startVirtualThread", Runnable.class).invoke(null, task);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(e);
    }
  }
}
