package soak;

import java.util.ArrayList;
import java.util.List;
import java.util.function.IntUnaryOperator;

/**
 * The class that every class loader of the soak defines: branches, a switch, calls with two receivers, a lambda, locks,
 * a caught exception, and static data. Its result depends only on the argument.
 */
public final class Payload implements IntUnaryOperator {
    /** Freed with the loader. Loaders that are held by mistake soon cause an OutOfMemoryError. */
    private static final byte[] DATA = new byte[64 * 1024];

    private final List<IntUnaryOperator> steps = new ArrayList<>();

    public Payload() {
        int factor = DATA.length / 1024;
        steps.add(x -> x * factor);
        steps.add(Payload::mixed);
        steps.add(new Guarded());
    }

    @Override
    public int applyAsInt(int seed) {
        int result = seed;
        for (int i = 0; i < 12; i++) {
            result += steps.get(i % steps.size()).applyAsInt(result & 0xffff);
        }
        return result;
    }

    private static int mixed(int x) {
        switch (x & 3) {
            case 0:
                return x + 1;
            case 1:
                return x ^ 0x55;
            default:
                return x > 100 ? x / 3 : -x;
        }
    }

    private static final class Guarded implements IntUnaryOperator {
        @Override
        public synchronized int applyAsInt(int x) {
            try {
                return 100 / (x % 5);
            } catch (ArithmeticException zero) {
                return x;
            }
        }
    }
}
