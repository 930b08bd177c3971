package soak;

import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.lang.invoke.MethodHandles;
import java.lang.ref.WeakReference;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.security.ProtectionDomain;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.IntUnaryOperator;

/**
 * Loads and unloads classes, round after round, for a number of seconds: Churn MODE SECONDS
 *
 * <p>Modes: loaders, unique (every class has another name), hidden, lambdas, proxies, refusing (loaders that know only
 * a list of names), redefinition (with this class as a Java agent), steady (much of the same work, partly in a class whose
 * loader is replaced now and then, so that an agent may take its probes out). Every round checks its own result. At the end, one
 * full collection must free every loader and hidden class. Standard output does not depend on the number of rounds, so
 * that runs can be compared; the number of rounds goes to standard error. Before the collection, the program waits for the
 * end of its input, so that a test can end what it does to the program.
 */
public final class Churn {
    private static final List<String> PAYLOAD = List.of("soak.Payload", "soak.Payload$Guarded");

    private static Instrumentation instrumentation;

    private Churn() {}

    public static void premain(String options, Instrumentation given) {
        instrumentation = given;
    }

    public static void main(String[] arguments) throws Exception {
        String mode = arguments[0];
        Callable<Object> round = rounds(mode);
        long end = System.nanoTime() + Long.parseLong(arguments[1]) * 1_000_000_000L;
        List<WeakReference<Object>> made = new ArrayList<>();
        long count = 0;
        do {
            WeakReference<Object> reference = new WeakReference<>(round.call());
            // Enough to see that classes can be unloaded; keeping all of them would be another test.
            if (count % 64 == 0 && made.size() < 4096) {
                made.add(reference);
            }
            count++;
            // The last round is not one of those that are checked, because a frame may still refer to its object.
        } while (System.nanoTime() < end || count < 128 || count % 64 == 1);
        System.err.println(mode + ": " + count + " rounds");
        while (System.in.read() >= 0) {
            // What it says does not matter.
        }
        System.gc();
        long kept = made.stream().filter(one -> one.get() != null).count();
        System.out.println(mode + ": every result is right, " + kept + " kept after one full collection");
    }

    /** Runs one round of a mode: creates classes, uses them, and returns the objects that must become garbage. */
    private static Callable<Object> rounds(String mode) {
        return switch (mode) {
            case "loaders" -> () -> use(new Loaders.Delegating(payload()));
            case "refusing" -> () -> use(new Loaders.Refusing(payload()));
            case "unique" -> new UniqueNames();
            case "hidden" -> Churn::hidden;
            case "lambdas" -> Churn::lambdas;
            case "proxies" -> Churn::proxies;
            case "redefinition" -> new Redefinition();
            case "steady" -> new Steady();
            default -> throw new IllegalArgumentException("no mode " + mode);
        };
    }

    private static Map<String, byte[]> payload() {
        return Map.of(PAYLOAD.get(0), Loaders.bytesOf(PAYLOAD.get(0)), PAYLOAD.get(1), Loaders.bytesOf(PAYLOAD.get(1)));
    }

    private static void check(IntUnaryOperator made) {
        int expected = new Payload().applyAsInt(7);
        int result = made.applyAsInt(7);
        if (result != expected) {
            throw new AssertionError(result + " instead of " + expected);
        }
    }

    private static Object use(ClassLoader loader) throws ReflectiveOperationException {
        check((IntUnaryOperator) loader.loadClass(PAYLOAD.get(0)).getDeclaredConstructor().newInstance());
        return loader;
    }

    private static Object hidden() throws ReflectiveOperationException {
        Class<?> made = MethodHandles.lookup().defineHiddenClass(Loaders.bytesOf("soak.Small00000000"), true).lookupClass();
        checkSmall((IntUnaryOperator) made.getDeclaredConstructor().newInstance());
        return made;
    }

    private static void checkSmall(IntUnaryOperator made) {
        if (made.applyAsInt(20) != 10 || made.applyAsInt(21) != 64) {
            throw new AssertionError("a small class gave a wrong result");
        }
    }

    /** Loaders whose class only links lambdas. */
    private static Object lambdas() throws ReflectiveOperationException {
        ClassLoader loader = new Loaders.Delegating(Map.of("soak.ManyLambdas", Loaders.bytesOf("soak.ManyLambdas")));
        IntUnaryOperator made = (IntUnaryOperator) loader.loadClass("soak.ManyLambdas").getDeclaredConstructor().newInstance();
        if (made.applyAsInt(1) != 16) {
            throw new AssertionError("lambdas gave " + made.applyAsInt(1));
        }
        return loader;
    }

    private static Object proxies() {
        ClassLoader loader = new Loaders.Delegating(Map.of());
        Object proxy = Proxy.newProxyInstance(loader, new Class<?>[] {IntUnaryOperator.class, Runnable.class},
                (self, method, given) -> method.getName().equals("applyAsInt") ? (int) given[0] + 1 : null);
        if (((IntUnaryOperator) proxy).applyAsInt(4) != 5) {
            throw new AssertionError("a proxy gave a wrong result");
        }
        ((Runnable) proxy).run();
        return loader;
    }

    /** Defines a class with a new name in every round. */
    private static final class UniqueNames implements Callable<Object> {
        private int number;

        @Override
        public Object call() throws ReflectiveOperationException {
            String name = String.format("soak.Small%08d", ++number);
            byte[] bytes = renamed(Loaders.bytesOf("soak.Small00000000"), "Small00000000", name.substring(5));
            ClassLoader loader = new Loaders.Delegating(Map.of(name, bytes));
            checkSmall((IntUnaryOperator) loader.loadClass(name).getDeclaredConstructor().newInstance());
            return loader;
        }

        /** Names of equal length, so that only the text changes. */
        private static byte[] renamed(byte[] bytes, String from, String to) {
            String text = new String(bytes, StandardCharsets.ISO_8859_1);
            return text.replace(from, to).getBytes(StandardCharsets.ISO_8859_1);
        }
    }

    private static final class Steady implements Callable<Object> {
        private static final int CALLS = 200_000;
        private static final int PART = 100;  // short, so that changed code is used soon
        private static final long EXPECTED = 74_999_850_000L;
        private static final int ROUNDS_OF_LOADER = 256;
        private static final int ROUNDS_BETWEEN_LOADS = 16;

        private IntUnaryOperator guest;
        private int number;

        @Override
        public Object call() throws ReflectiveOperationException {
            if (number % ROUNDS_OF_LOADER == 0) {
                ClassLoader loader = new Loaders.Delegating(Map.of("soak.Small00000000", Loaders.bytesOf("soak.Small00000000")));
                guest = (IntUnaryOperator) loader.loadClass("soak.Small00000000").getDeclaredConstructor().newInstance();
            }
            number++;
            long sum = 0;
            for (int from = 0; from < CALLS; from += PART) {
                sum += part(from);
            }
            if (sum != EXPECTED) {
                throw new AssertionError(sum + " instead of " + EXPECTED);
            }
            return number % ROUNDS_BETWEEN_LOADS == 0 ? use(new Loaders.Delegating(payload())) : new Object();
        }

        private long part(int from) {
            long sum = 0;
            for (int n = from; n < from + PART; n++) {
                sum += guest.applyAsInt(n) + doubled(n);
            }
            return sum;
        }

        private static int doubled(int n) {
            return n % 3 == 0 ? 2 * n : n + n;
        }
    }

    /** Retransforms and redefines classes that are in use. */
    private static final class Redefinition implements Callable<Object> {
        private final ClassLoader loader = new Loaders.Delegating(payload());

        Redefinition() {
            instrumentation.addTransformer(new ClassFileTransformer() {
                @Override
                public byte[] transform(ClassLoader from, String name, Class<?> redefined, ProtectionDomain domain, byte[] bytes) {
                    return name != null && name.startsWith("soak/") ? bytes.clone() : null;
                }
            }, true);
        }

        @Override
        public Object call() throws Exception {
            use(loader);
            Class<?> payload = loader.loadClass(PAYLOAD.get(0));
            instrumentation.retransformClasses(payload, Payload.class);
            instrumentation.redefineClasses(
                    new java.lang.instrument.ClassDefinition(payload, Loaders.bytesOf(PAYLOAD.get(0))));
            return use(new Loaders.Delegating(payload()));
        }
    }
}
