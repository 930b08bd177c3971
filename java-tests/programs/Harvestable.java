import java.util.function.IntUnaryOperator;

/**
 * A program whose branch shares and receivers are known. It works in small steps, so that HotSpot profiles every method,
 * prints "ready", waits for a line unless it has a second argument, and ends. With "again" it waits, does the same work once
 * more, prints "again", and waits for another line.
 */
public final class Harvestable {
    interface Shape { int area(int n); }
    record Square() implements Shape { public int area(int n) { return n * n; } }
    record Circle() implements Shape { public int area(int n) { return 3 * n * n; } }

    static int every10th(int n) { return n % 10 == 0 ? 1 : 2; }
    static int cases(int n) {
        switch (n & 7) {
            case 0: return 5;
            case 1: case 2: return 6;
            case 5: return 7;
            default: return 8;
        }
    }
    static int check(Object o) { return o instanceof String ? 1 : 0; }
    static int areaOf(Shape s, int n) { return s.area(n); }
    static int twice(IntUnaryOperator f, int n) { return f.applyAsInt(n) + f.applyAsInt(n + 1); }

    static int step(int n) {
        int sum = every10th(n) + cases(n);
        sum += check(n % 4 == 0 ? (Object) "text" : Integer.valueOf(1));
        sum += areaOf(n % 5 == 0 ? new Circle() : new Square(), n);
        sum += twice(x -> x ^ 1, n);
        return sum;
    }

    public static void main(String[] args) throws Exception {
        int steps = Integer.parseInt(args[0]);
        boolean again = args.length > 1 && args[1].equals("again");
        long sum = 0;
        for (int i = 0; i < steps; i++) sum += step(i);
        System.out.println(sum > 0 ? "ready" : "wrong");
        if (args.length == 1 || again) System.in.read();
        if (again) {
            for (int i = 0; i < steps; i++) sum += step(i);
            System.out.println("again");
            System.in.read();
        }
        System.out.println("done");
    }
}
