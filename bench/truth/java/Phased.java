import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Programs that do one thing for a while and then another, with the same work in every run:
 *
 *   warmup       a few small requests, then many large ones
 *   alternating  two kinds of requests in turns
 *   flip         a branch that goes one way in nine of ten cases, and after half of the work the other way
 *   cache        requests whose answers are computed at first and found in a cache later
 *
 * What they do is in classes of its own, because the class whose loop runs all the time keeps its probes.
 *
 * Usage: Phased PROGRAM REQUESTS. It prints a checksum.
 */
public class Phased {
  interface Request {
    long serve(int n);
  }

  /** Words of a text, counted and sorted. */
  static class Words implements Request {
    final String text;

    Words(int words) {
      StringBuilder made = new StringBuilder();
      for (int i = 0; i < words; i++) made.append("word").append(i * 31 % 97).append(i % 5 == 0 ? ".\n" : " ");
      text = made.toString();
    }

    @Override
    public long serve(int n) {
      Map<String, Integer> counts = new TreeMap<>();
      StringBuilder word = new StringBuilder();
      for (int i = 0; i < text.length(); i++) {
        char c = text.charAt(i);
        if (Character.isLetterOrDigit(c)) {
          word.append(c);
        } else if (word.length() > 0) {
          counts.merge(word.toString(), n % 3 + 1, Integer::sum);
          word.setLength(0);
        }
      }
      long sum = 0;
      for (Map.Entry<String, Integer> entry : counts.entrySet()) sum = sum * 31 + entry.getKey().hashCode() + entry.getValue();
      return sum;
    }
  }

  interface Shape {
    double area();
  }

  record Circle(double radius) implements Shape {
    @Override public double area() { return Math.PI * radius * radius; }
  }

  record Box(double width, double height) implements Shape {
    @Override public double area() { return width * height; }
  }

  record Triangle(double base, double height) implements Shape {
    @Override public double area() { return base * height / 2; }
  }

  /** Shapes, made, filtered and sorted by area. */
  static class Shapes implements Request {
    final int many;

    Shapes(int many) { this.many = many; }

    @Override
    public long serve(int n) {
      List<Shape> shapes = new ArrayList<>();
      for (int i = 0; i < many; i++) {
        switch ((i + n) % 7) {
          case 0, 3 -> shapes.add(new Circle(i % 11));
          case 1 -> shapes.add(new Triangle(i % 13, 4));
          default -> shapes.add(new Box(i % 5, i % 17));
        }
      }
      shapes.removeIf(shape -> shape.area() < 3);
      shapes.sort((a, b) -> Double.compare(a.area(), b.area()));
      double sum = 0;
      for (Shape shape : shapes) sum += shape.area();
      return (long) sum;
    }
  }

  static class Numbers {
    static long random = 42;

    static int next(int below) {
      random = random * 6364136223846793005L + 1442695040888963407L;
      return (int) ((random >>> 33) % below);
    }

    static long cheap(int n) { return n ^ n >>> 3; }

    static long dear(int n) {
      long sum = 0;
      for (int i = 0; i < 20; i++) sum += cheap(n + i);
      return sum;
    }

    static long biased(int n, int tenths) { return next(10) < tenths ? cheap(n) : dear(n); }

    static long compute(int key) {
      long sum = key;
      for (int i = 2; i < 2000; i++) {
        if (key % i == 0) sum += cheap(i);
      }
      return sum;
    }
  }

  /** A branch that goes one way in so many of ten cases. */
  static class Biased {
    static long serve(int n, int tenths) {
      long sum = 0;
      for (int k = 0; k < 2000; k++) sum += Numbers.biased(n + k, tenths);
      return sum;
    }
  }

  /** Answers that are computed once. */
  static class Cached implements Request {
    final Map<Integer, Long> answers = new HashMap<>();
    final int keys;

    Cached(int keys) { this.keys = keys; }

    @Override
    public long serve(int n) {
      long sum = 0;
      for (int k = 0; k < 50; k++) sum += answers.computeIfAbsent(Numbers.next(keys), Numbers::compute);
      return sum;
    }
  }

  static Request program(String name, int requests) {
    Request small = new Words(5);
    Request words = new Words(name.equals("warmup") ? 200 : 150);
    Request shapes = new Shapes(300);
    Request cached = new Cached(requests / 20 + 1);
    return switch (name) {
      case "warmup" -> i -> i < requests / 10 ? small.serve(i) : words.serve(i) + shapes.serve(i);
      case "alternating" -> i -> (i * 6L / requests % 2 == 0 ? words : shapes).serve(i);
      case "flip" -> i -> Biased.serve(i, i < requests / 2 ? 9 : 1);
      default -> cached;
    };
  }

  public static void main(String[] args) {
    int requests = Integer.parseInt(args[1]);
    Request program = program(args[0], requests);
    long sum = 0;
    for (int i = 0; i < requests; i++) sum += program.serve(i);
    System.out.println("sum " + sum);
  }
}
