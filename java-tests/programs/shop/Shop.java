package shop;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;

/** What an HTML report shows: a biased branch, a switch, a line that never runs, two receivers, a type check, a lock, and time to sample. */
public final class Shop {
    interface Shape {
        int area();
    }

    record Circle(int radius) implements Shape {
        @Override
        public int area() {
            return 3 * radius * radius;
        }
    }

    record Square(int side) implements Shape {
        @Override
        public int area() {
            return side * side;
        }
    }

    private static final Object LOCK = new Object();
    private static long sold;

    private Shop() {
    }

    /** One of ten is cheap. */
    static int price(int item) {
        if (item % 10 == 0) {
            return 1;
        }
        return 10;
    }

    /** Half are of kind 0, a quarter each of kinds 1 and 2. */
    static int weight(int item) {
        switch (item & 3) {
            case 1:
                return 5;
            case 3:
                return 9;
            default:
                return 2;
        }
    }

    /** None is refunded: the second line never runs. */
    static int refund(int item) {
        if (item < 0) {
            return 1;
        }
        return 0;
    }

    static int corners(Shape shape) {
        return shape instanceof Square ? 4 : 0;
    }

    static long round(Shape[] shapes, int rounds) {
        long sum = 0;
        for (int i = 0; i < rounds; i++) {
            Shape shape = shapes[i & 3];
            sum += shape.area() + price(i) + weight(i) + corners(shape) - refund(i);
        }
        synchronized (LOCK) {
            sold += sum;
        }
        return sum;
    }

    /** The arguments: rounds that the program counts on, and the CPU time to use up, in milliseconds. */
    public static void main(String[] args) {
        int rounds = Integer.parseInt(args[0]);
        long cpuMillis = Long.parseLong(args[1]);
        Shape[] shapes = {new Circle(1), new Circle(2), new Circle(3), new Square(4)};
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        long end = threads.getCurrentThreadCpuTime() + cpuMillis * 1_000_000;
        do {
            round(shapes, rounds);
        } while (threads.getCurrentThreadCpuTime() < end);
        System.out.println(sold);
    }
}
