import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.util.ArrayList;
import java.util.List;

/**
 * Runs a round of known counts for each line "round" of its input, and prints "round N" after it. For "more" it loads
 * classes, and prints "more". Another line says how the process ends: "exit" orderly; "abort", "crash", "quit" and "leave" in
 * native code of the library that is the argument; "memory" when the heap is full.
 */
public final class HardEnds {
    static native void abort();

    static native void crash();

    static native void quit(int code);

    static native void leave(int code);

    static int step(int n) {
        return n % 4 == 0 ? 1 : 2;
    }

    static int round() {
        int sum = 0;
        for (int n = 0; n < 1000; n++) {
            sum += step(n);
        }
        return sum;
    }

    static void fill() {
        List<long[]> all = new ArrayList<>();
        for (;;) {
            all.add(new long[1 << 18]);
        }
    }

    public static void main(String[] args) throws Exception {
        if (args.length > 0) {
            System.load(args[0]);
        }
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        System.out.println("ready");
        int rounds = 0;
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            switch (line) {
                case "round":
                    if (round() != 1750) {
                        throw new AssertionError();
                    }
                    System.out.println("round " + ++rounds);
                    break;
                case "more":
                    for (String name : new String[] {"java.util.Formatter", "java.text.DecimalFormat", "java.util.concurrent.ForkJoinPool"}) {
                        Class.forName(name);
                    }
                    System.out.println(String.format("%s", "more"));
                    break;
                case "exit":
                    System.exit(0);
                    break;
                case "abort":
                    abort();
                    break;
                case "crash":
                    crash();
                    break;
                case "quit":
                    quit(8);
                    break;
                case "leave":
                    leave(7);
                    break;
                case "memory":
                    fill();
                    break;
                default:
                    throw new IllegalArgumentException(line);
            }
        }
    }

    private HardEnds() {}
}
