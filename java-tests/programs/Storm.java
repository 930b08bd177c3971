import java.io.InputStream;
import java.lang.instrument.ClassDefinition;
import java.lang.instrument.Instrumentation;
import java.lang.invoke.MethodHandles;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntUnaryOperator;

/**
 * Does one thing again and again until its input ends, and checks its own results: "unload" loads classes and lets them be
 * unloaded, "redefine" redefines and retransforms a class that runs (it is its own Java agent), "compact" leaves holes in
 * the heap and lets it be compacted. Prints "ready" and, if all results were right, "done".
 */
public final class Storm {
    private static final int BEFORE = 1111111;
    private static final int AFTER = 2222222;
    private static final int CLASSES = 100; // between two collections
    private static final int OBJECTS = 20_000;
    private static Instrumentation instrumentation;

    public static void premain(String arguments, Instrumentation given) {
        instrumentation = given;
    }

    /** The class that is loaded, redefined, and whose objects move. */
    public static class Work implements IntUnaryOperator {
        private final int[] content;

        public Work() {
            this(8);
        }

        Work(int size) {
            content = new int[size];
            content[0] = size;
        }

        static int value() {
            return 1111111;
        }

        @Override
        public int applyAsInt(int n) {
            int sum = 0;
            for (int i = 0; i < 10; i++) {
                sum += (n + i) % 3 == 0 ? content[0] : 1;
            }
            return sum;
        }
    }

    private static final class Loader extends ClassLoader {
        IntUnaryOperator make(byte[] bytes) throws ReflectiveOperationException {
            return (IntUnaryOperator) defineClass(null, bytes, 0, bytes.length).getDeclaredConstructor().newInstance();
        }
    }

    private static byte[] bytes() throws Exception {
        try (InputStream in = Storm.class.getResourceAsStream("Storm$Work.class")) {
            return in.readAllBytes();
        }
    }

    private static byte[] changed(byte[] bytes) {
        ByteBuffer buffer = ByteBuffer.wrap(bytes.clone());
        for (int at = 0; at + Integer.BYTES <= bytes.length; at++) {
            if (buffer.getInt(at) == BEFORE) {
                buffer.putInt(at, AFTER);
            }
        }
        return buffer.array();
    }

    private static void check(long expected, long actual) {
        if (expected != actual) {
            throw new IllegalStateException(actual + " instead of " + expected);
        }
    }

    /** What the object of such a size must answer. */
    private static int expected(int size, int n) {
        int sum = 0;
        for (int i = 0; i < 10; i++) {
            sum += (n + i) % 3 == 0 ? size : 1;
        }
        return sum;
    }

    private static void unload(byte[] bytes, int round) throws Exception {
        for (int i = 0; i < CLASSES; i++) {
            IntUnaryOperator work = i % 2 == 0
                    ? new Loader().make(bytes)
                    : (IntUnaryOperator) MethodHandles.lookup().defineHiddenClass(bytes, true).lookupClass()
                            .getDeclaredConstructor().newInstance();
            check(expected(8, i + round), work.applyAsInt(i + round));
        }
        System.gc();
    }

    private static void redefine(byte[] bytes, int round) throws Exception {
        boolean isOdd = round % 2 != 0;
        instrumentation.redefineClasses(new ClassDefinition(Work.class, isOdd ? changed(bytes) : bytes));
        Work work = new Work(5);
        for (int i = 0; i < 1000; i++) {
            check(isOdd ? AFTER : BEFORE, Work.value());
            check(expected(5, i), work.applyAsInt(i));
        }
        instrumentation.retransformClasses(Work.class, Storm.class);
    }

    private static void compact(List<Work> live, int round) {
        for (int i = 0; i < OBJECTS; i++) {
            Work made = new Work(1 + (i + round) % 40);
            if (live.size() < OBJECTS) {
                live.add(made);
            } else if (i % 2 == 0) {
                live.set((i * 31 + round) % OBJECTS, made); // the one before leaves a hole
            }
        }
        System.gc();
        for (int i = 0; i < live.size(); i += 7) {
            Work work = live.get(i);
            check(expected(work.content[0], i), work.applyAsInt(i));
        }
    }

    public static void main(String[] args) throws Exception {
        byte[] bytes = bytes();
        List<Work> live = new ArrayList<>();
        for (int round = 0; round < 3 || System.in.available() == 0; round++) {
            switch (args[0]) {
                case "unload":
                    unload(bytes, round);
                    break;
                case "redefine":
                    redefine(bytes, round);
                    break;
                case "compact":
                    compact(live, round);
                    break;
                default:
                    throw new IllegalArgumentException(args[0]);
            }
            if (round == 2) {
                System.out.println("ready");
            }
        }
        System.out.println("done");
    }
}
