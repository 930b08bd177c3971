import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.util.Arrays;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.IntUnaryOperator;

/**
 * Works in phases. For each line "N" of its input, four threads do N steps each, check their own results, and pause again.
 * Then it prints "ran N STEPS EVEN SHARED METASPACE POOL": how often each thread called its own method, how many of these
 * calls had an even argument, how often all threads called the shared one, and the sizes of the metaspace and of this
 * class's constant pool. For a line "retransform", the library of the property "phases.plain" retransforms all classes
 * without changing them, and the program prints "retransformed N".
 */
public class SessionPhases {
    static final int THREADS = 4;
    static final CyclicBarrier BEGIN = new CyclicBarrier(THREADS + 1);
    static final CyclicBarrier END = new CyclicBarrier(THREADS + 1);
    static final AtomicLong WRONG = new AtomicLong();
    static volatile int steps;

    interface Shape {
        int corners(int sides);
    }

    static class Prism implements Shape {
        @Override
        public int corners(int sides) {
            return 2 * sides;
        }
    }

    static class Pyramid implements Shape {
        @Override
        public int corners(int sides) {
            return sides + 1;
        }
    }

    static int step0(int n) {
        return n % 2 == 0 ? shared(n) : -shared(n);
    }

    static int step1(int n) {
        return n % 2 == 0 ? shared(n) : -shared(n);
    }

    static int step2(int n) {
        return n % 2 == 0 ? shared(n) : -shared(n);
    }

    static int step3(int n) {
        return n % 2 == 0 ? shared(n) : -shared(n);
    }

    static int shared(int n) {
        int sum = 0;
        for (int i = 0; i <= n % 8; i++) {
            sum += i;
        }
        return sum;
    }

    static int thrower(int n) {
        try {
            if (n % 16 == 5) {
                throw new IllegalStateException("five");
            }
            return n;
        } catch (IllegalStateException expected) {
            return -n;
        }
    }

    static void check(boolean right) {
        if (!right) {
            WRONG.incrementAndGet();
        }
    }

    static void work(int thread, int count) {
        Shape[] shapes = {new Prism(), new Pyramid()};
        IntUnaryOperator lambda = x -> x * 3;
        for (int n = 0; n < count; n++) {
            int got = switch (thread) {
                case 0 -> step0(n);
                case 1 -> step1(n);
                case 2 -> step2(n);
                default -> step3(n);
            };
            int m = n % 8;
            int triangle = m * (m + 1) / 2;
            check(got == (n % 2 == 0 ? triangle : -triangle));
            check(shapes[n % 2].corners(n) == (n % 2 == 0 ? 2 * n : n + 1));
            check(lambda.applyAsInt(n) == 3 * n);
            check(thrower(n) == (n % 16 == 5 ? -n : n));
            synchronized (SessionPhases.class) {
                check(String.valueOf(n).hashCode() == Integer.toString(n).hashCode());
            }
        }
    }

    static void loop(int thread) {
        try {
            for (;;) {
                BEGIN.await();
                work(thread, steps);
                END.await();
            }
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    static long metaspace() {
        System.gc();
        return ManagementFactory.getMemoryPoolMXBeans().stream().filter(pool -> pool.getName().equals("Metaspace"))
                .map(MemoryPoolMXBean::getUsage).mapToLong(usage -> usage.getUsed()).sum();
    }

    /** Needs --add-exports for both packages. */
    static int constantPool() throws ReflectiveOperationException {
        Object access = Class.forName("jdk.internal.access.SharedSecrets").getMethod("getJavaLangAccess").invoke(null);
        Object pool = Class.forName("jdk.internal.access.JavaLangAccess").getMethod("getConstantPool", Class.class)
                .invoke(access, SessionPhases.class);
        return (int) Class.forName("jdk.internal.reflect.ConstantPool").getMethod("getSize").invoke(pool);
    }

    /** Returns the number of classes. */
    static native int retransform();

    public static void main(String[] args) throws Exception {
        String plain = System.getProperty("phases.plain");
        if (plain != null) {
            System.load(plain);
        }
        for (int t = 0; t < THREADS; t++) {
            int thread = t;
            Thread started = new Thread(() -> loop(thread), "worker " + t);
            started.setDaemon(true);
            started.start();
        }
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        System.out.println("ready");
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            if (line.equals("retransform")) {
                System.out.println("retransformed " + retransform());
                continue;
            }
            steps = Integer.parseInt(line);
            BEGIN.await();
            END.await();
            System.out.println("ran " + steps + " " + steps + " " + (steps + 1) / 2 + " " + THREADS * steps + " " + metaspace()
                    + " " + constantPool());
        }
        System.out.println(WRONG.get() == 0 ? "done" : "wrong: " + WRONG + " in " + Arrays.toString(args));
        System.exit(WRONG.get() == 0 ? 0 : 1);
    }
}
