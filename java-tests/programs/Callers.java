/** Methods that are called by several callers, so often as the program was asked to. */
public final class Callers {
  interface Shape {
    int area();
  }

  record Square(int side) implements Shape {
    @Override
    public int area() {
      return side * side;
    }
  }

  record Strip(int length) implements Shape {
    @Override
    public int area() {
      return length;
    }
  }

  private static int sum;

  static void common(int by) {
    sum += by;
  }

  static void often(int times) {
    for (int i = 0; i < times; ++i) common(1);
  }

  static void seldom(int times) {
    for (int i = 0; i < times; ++i) {
      if (i % 10 == 0) common(2);
    }
  }

  static void recursive(int depth) {
    common(3);
    if (depth > 0) recursive(depth - 1);
  }

  static int areas(Shape[] shapes) {
    int all = 0;
    for (final Shape shape : shapes) all += shape.area();
    return all;
  }

  static void lambdas(int times) {
    final Runnable task = () -> common(4);
    for (int i = 0; i < times; ++i) task.run();
  }

  public static void main(String[] args) {
    final int times = Integer.parseInt(args[0]);
    often(times);
    seldom(times);
    recursive(1999);
    lambdas(times);
    final Shape[] shapes = new Shape[times];
    for (int i = 0; i < times; ++i) shapes[i] = i % 4 == 0 ? new Strip(i) : new Square(i);
    sum += areas(shapes);
    if (sum == 42) System.out.println("forty-two");
  }
}
