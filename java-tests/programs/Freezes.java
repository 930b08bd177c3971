import java.io.BufferedReader;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.lang.instrument.ClassDefinition;
import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.lang.ref.WeakReference;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.ByteBuffer;
import java.security.ProtectionDomain;
import java.util.function.IntUnaryOperator;

/**
 * Obeys the lines of its input and answers each with "done LINE VALUE":
 *
 *   run N       N times: step(), which calls leaf() twice and, for one number in four, odd() once
 *   more N      N times: leaf()
 *   hidden N    N calls of a lambda
 *   guest N     N calls of a method of a class of its own loader
 *   drop        forgets that loader and waits until it is gone; `guest` makes another one
 *   left N      N calls of Left by main, at the call of an interface that also calls Right
 *   right N     N calls of Right there
 *   spin N      N times: leaf(), in a loop of main
 *   redefine    changes the value that leaf() adds, as a debugger would
 *   value       that value
 *
 * It is its own Java agent. With the argument "change", that changes the value when its class is loaded.
 */
public class Freezes {
    private static final int BEFORE = 1111111;
    private static final int AFTER = 2222222;
    private static Instrumentation instrumentation;
    private static IntUnaryOperator guest;

    static class Holder {
        static int value() {
            return 1111111;
        }
    }

    public static class Guest implements IntUnaryOperator {
        @Override
        public int applyAsInt(int n) {
            return n * 31;
        }
    }

    static class Left implements IntUnaryOperator {
        @Override
        public int applyAsInt(int n) {
            return n * 5;
        }
    }

    static class Right implements IntUnaryOperator {
        @Override
        public int applyAsInt(int n) {
            return n * 7;
        }
    }

    // Sees each class once, before agents that can retransform.
    static class Changer implements ClassFileTransformer {
        static void start() {
            instrumentation.addTransformer(new Changer());
        }

        @Override
        public byte[] transform(
                ClassLoader loader, String name, Class<?> redefined, ProtectionDomain domain, byte[] bytes) {
            return "Freezes$Holder".equals(name) ? changed(bytes) : null;
        }
    }

    public static void premain(String arguments, Instrumentation given) {
        instrumentation = given;
        if ("change".equals(arguments)) {
            Changer.start();
        }
    }

    static int leaf(int n) {
        return Holder.value() ^ n;
    }

    static int odd(int n) {
        return n * 3;
    }

    static int step(int n) {
        int sum = leaf(n) + leaf(n + 1);
        if (n % 4 == 0) {
            sum += odd(n);
        }
        return sum;
    }

    // Each call is short, so that new code is used soon.
    static int steps(int from, int to) {
        int sum = 0;
        for (int i = from; i < to; i++) {
            sum += step(i);
        }
        return sum;
    }

    static int leaves(int from, int to) {
        int sum = 0;
        for (int i = from; i < to; i++) {
            sum += leaf(i);
        }
        return sum;
    }

    static int applied(IntUnaryOperator operator, int from, int to) {
        int sum = 0;
        for (int i = from; i < to; i++) {
            sum += operator.applyAsInt(i);
        }
        return sum;
    }

    interface Part {
        int run(int from, int to);
    }

    static int inParts(long n, Part part) {
        int sum = 0;
        for (long from = 0; from < n; from += 100) {
            int first = (int) (from % 1_000_000_000);
            sum += part.run(first, first + (int) Math.min(100, n - from));
        }
        return sum;
    }

    private static IntUnaryOperator newGuest() throws Exception {
        URL here = Freezes.class.getProtectionDomain().getCodeSource().getLocation();
        ClassLoader own = new URLClassLoader(new URL[] {here}, null) {
            @Override
            protected Class<?> findClass(String name) throws ClassNotFoundException {
                return name.equals("Freezes$Guest") ? super.findClass(name) : Class.forName(name);
            }
        };
        return (IntUnaryOperator) own.loadClass("Freezes$Guest").getConstructor().newInstance();
    }

    private static byte[] changed(byte[] bytes) {
        byte[] copy = bytes.clone();
        ByteBuffer buffer = ByteBuffer.wrap(copy);
        for (int at = 0; at + Integer.BYTES <= copy.length; at++) {
            if (buffer.getInt(at) == BEFORE) {
                buffer.putInt(at, AFTER);
            }
        }
        return copy;
    }

    private static void redefine() throws Exception {
        byte[] bytes;
        try (InputStream in = Freezes.class.getResourceAsStream("Freezes$Holder.class")) {
            bytes = in.readAllBytes();
        }
        instrumentation.redefineClasses(new ClassDefinition(Holder.class, changed(bytes)));
    }

    public static void main(String[] args) throws Exception {
        IntUnaryOperator lambda = n -> n + args.length;
        System.out.println("ready");
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        for (String line = in.readLine(); line != null && !line.equals("x"); line = in.readLine()) {
            String[] words = line.split(" ");
            long n = words.length > 1 ? Long.parseLong(words[1]) : 0;
            int value = 0;
            switch (words[0]) {
                case "run" -> value = inParts(n, Freezes::steps);
                case "more" -> value = inParts(n, Freezes::leaves);
                case "hidden" -> value = inParts(n, (from, to) -> applied(lambda, from, to));
                case "guest" -> {
                    guest = guest == null ? newGuest() : guest;
                    value = inParts(n, (from, to) -> applied(guest, from, to));
                }
                case "drop" -> {
                    WeakReference<ClassLoader> loader = new WeakReference<>(guest.getClass().getClassLoader());
                    guest = null;
                    while (loader.get() != null) {
                        System.gc();
                        Thread.sleep(20);
                    }
                }
                case "spin" -> {
                    for (long i = 0; i < n; i++) {
                        value += leaf((int) i);
                    }
                }
                case "left", "right" -> {
                    IntUnaryOperator side = words[0].equals("left") ? new Left() : new Right();
                    for (long i = 0; i < n; i++) {
                        value += side.applyAsInt((int) i);
                    }
                }
                case "redefine" -> redefine();
                default -> value = Holder.value();
            }
            System.out.println("done " + line + " " + value);
        }
    }
}
