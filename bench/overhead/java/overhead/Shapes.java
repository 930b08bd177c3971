package overhead;

/** Calls through an interface whose receivers are of one, two and many classes. */
final class Shapes implements Workload {
  private interface Shape {
    int area(int scale);
  }

  private static final class Square implements Shape {
    @Override public int area(int scale) { return scale * scale; }
  }

  private static final class Line implements Shape {
    @Override public int area(int scale) { return 0; }
  }

  private static final class Bar implements Shape {
    @Override public int area(int scale) { return scale > 3 ? 3 * scale : scale; }
  }

  private static final class Frame implements Shape {
    @Override public int area(int scale) { return 4 * scale - 4; }
  }

  private final Shape[] one = shapes(1);
  private final Shape[] two = shapes(2);
  private final Shape[] many = shapes(4);

  private static Shape[] shapes(int classes) {
    Shape[] all = {new Square(), new Line(), new Bar(), new Frame()};
    Shape[] shapes = new Shape[4096];
    for (int i = 0; i < shapes.length; i++) shapes[i] = all[(i * 7 + i / 3) % classes];
    return shapes;
  }

  private static long monomorphic(Shape[] shapes) {
    long sum = 0;
    for (int i = 0; i < shapes.length; i++) sum += shapes[i].area(i & 7);
    return sum;
  }

  private static long bimorphic(Shape[] shapes) {
    long sum = 0;
    for (int i = 0; i < shapes.length; i++) sum += shapes[i].area(i & 7);
    return sum;
  }

  private static long megamorphic(Shape[] shapes) {
    long sum = 0;
    for (int i = 0; i < shapes.length; i++) sum += shapes[i].area(i & 7);
    return sum;
  }

  @Override
  public long run() {
    long sum = 0;
    for (int i = 0; i < 150; i++) sum += monomorphic(one) + bimorphic(two) + megamorphic(many);
    return sum;
  }
}
