import java.net.URL;
import java.net.URLClassLoader;
import java.util.concurrent.CyclicBarrier;
import java.util.function.IntUnaryOperator;

/**
 * Two lambdas that are called equally often through one call. With "race" and STEPS, threads reach them for the first time at the same
 * moment. With "loaders", two loaders define this class. Prints "ready", waits for a line, and ends with "done". With "phases", each line
 * of input is a number N from 0 to 100: then the first lambda gets N % of the calls, and "ready" follows.
 */
public final class ManyLambdas {
    private static final int THREADS = 8;
    private static final int CALLS = 200_000;
    static volatile int sink;

    static int apply(IntUnaryOperator operator, int number) { return operator.applyAsInt(number); }
    static int first(int number) { return number * 3 + 1; }
    static int second(int number) { return number - 7; }

    /** No compiler knows which of them it is, so HotSpot records the receivers. */
    static IntUnaryOperator operator(boolean isFirst) {
        return isFirst ? x -> first(x) ^ 5 : x -> second(x) & 77;
    }

    static int step(int number, boolean isFirst) { return apply(operator(isFirst), number); }

    /** Is called by reflection in the class of another loader, too. */
    public static void work(int steps, int percent) {
        int sum = 0;
        for (int i = 0; i < steps; i++) sum += step(i, i * 37 % 100 < percent);
        sink = sum;
    }

    static void race(int steps) throws Exception {
        CyclicBarrier barrier = new CyclicBarrier(THREADS);
        Thread[] threads = new Thread[THREADS];
        for (int i = 0; i < THREADS; i++) {
            threads[i] = new Thread(() -> {
                try {
                    barrier.await();
                } catch (Exception e) {
                    throw new IllegalStateException(e);
                }
                work(steps, 50);
            });
            threads[i].start();
        }
        for (Thread thread : threads) thread.join();
    }

    static void loaders(int steps) throws Exception {
        URL[] path = {ManyLambdas.class.getProtectionDomain().getCodeSource().getLocation()};
        ClassLoader loader = new URLClassLoader(path, ClassLoader.getPlatformClassLoader());
        loader.loadClass("ManyLambdas").getMethod("work", int.class, int.class).invoke(null, steps, 50);
        work(steps, 50);
    }

    static void phases() throws Exception {
        System.out.println("started");
        StringBuilder line = new StringBuilder();
        for (int c = System.in.read(); c >= 0; c = System.in.read()) {
            if (c != '\n') {
                line.append((char) c);
                continue;
            }
            work(CALLS, Integer.parseInt(line.toString()));
            line.setLength(0);
            System.out.println("ready");
        }
    }

    public static void main(String[] args) throws Exception {
        switch (args[0]) {
            case "race": race(Integer.parseInt(args[1])); break;
            case "loaders": loaders(Integer.parseInt(args[1])); break;
            default: phases(); return;
        }
        System.out.println("ready");
        System.in.read();
        System.out.println("done");
    }
}
