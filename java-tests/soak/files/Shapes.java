package shapes;

import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleFunction;

/** Input for the compilers and the formatter, with many language features. */
public class Shapes {
  sealed interface Shape permits Circle, Square {}
  record Circle(double radius) implements Shape {}
  record Square(double side) implements Shape {}
  enum Size { SMALL, LARGE; boolean fits(double area) { return switch (this) { case SMALL -> area < 10; case LARGE -> true; }; } }

  static double area(Shape shape) {
    if (shape instanceof Circle circle) { return Math.PI * circle.radius() * circle.radius(); }
    if (shape instanceof Square square) return square.side() * square.side();
    throw new IllegalArgumentException();
  }

  public static void main(String[] arguments) {
    List<Shape> shapes = new ArrayList<>(List.of(new Circle(1), new Square(2)));
    ToDoubleFunction<Shape> toArea = Shapes::area;
    for (Size size : Size.values()) {
      double sum = 0;
      for (int i = 0; i < shapes.size(); i++) {
        double a = toArea.applyAsDouble(shapes.get(i));
        try { if (size.fits(a)) sum += a; else continue; } finally { sum += 0; }
      }
      String text = """
          sum of %s
          """;
      System.out.printf(text + "%s%n", size, sum);
    }
    synchronized (shapes) { shapes.removeIf(s -> s instanceof Circle c && c.radius() > 0.5); }
    int unused = 1;
  }
}
