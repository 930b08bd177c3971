package work;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/** Benchmarks of three kinds: a few instructions, a loop of branches and calls, and work in the JDK's classes. */
@State(Scope.Thread)
public class Work {
    private static final int ELEMENTS = 1000;

    private interface Shape {
        int area();
    }

    private record Square(int side) implements Shape {
        @Override public int area() { return side * side; }
    }

    private record Strip(int length) implements Shape {
        @Override public int area() { return length; }
    }

    private final List<Shape> shapes = new ArrayList<>();
    private final String text = "to be or not to be that is the question ".repeat(10);
    private int next;

    @Setup
    public void fill() {
        for (int i = 0; i < ELEMENTS; ++i) {
            shapes.add(i * 7919 % 3 == 0 ? new Square(i) : new Strip(i));
        }
    }

    @Benchmark
    public int few() {
        int n = next++;
        return n % 3 == 0 ? n : -n;
    }

    @Benchmark
    public int shapes() {
        int sum = 0;
        for (Shape shape : shapes) {
            int area = shape.area();
            sum += (area & 1) == 0 ? area : 1;
        }
        return sum;
    }

    @Benchmark
    public Map<String, Integer> words() {
        Map<String, Integer> counts = new HashMap<>();
        for (String word : text.split(" ")) {
            counts.merge(word, 1, Integer::sum);
        }
        return counts;
    }
}
