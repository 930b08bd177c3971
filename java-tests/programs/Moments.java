import java.io.BufferedReader;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.security.ProtectionDomain;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.IntUnaryOperator;

/**
 * Two threads work and check their own results all the time, while commands come at any moment. For each line of its
 * input it answers with the line: "quiet" pauses the workers; "go N" lets each of them do N steps and pauses them again;
 * "on" lets them work without a limit; "retransform" (with the agent that this class is, too) retransforms all classes of
 * this program. The end of the input ends it. {@code Moments SECONDS} ends by itself after that time.
 */
public class Moments {
    static final int THREADS = 2;
    static final AtomicLong WRONG = new AtomicLong();
    static final ReentrantReadWriteLock GATE = new ReentrantReadWriteLock(true);
    private static Instrumentation instrumentation;

    /** Makes a class, so that some are loaded and unloaded while commands run. */
    static final class Loader extends ClassLoader {
        static final byte[] BYTES;

        static {
            try (InputStream in = Moments.class.getResourceAsStream("Moments$Loaded.class")) {
                BYTES = in.readAllBytes();
            } catch (Exception e) {
                throw new ExceptionInInitializerError(e);
            }
        }

        IntUnaryOperator make() throws ReflectiveOperationException {
            return (IntUnaryOperator) defineClass(null, BYTES, 0, BYTES.length).getDeclaredConstructor().newInstance();
        }
    }

    public static class Loaded implements IntUnaryOperator {
        @Override
        public int applyAsInt(int n) {
            return n % 3 == 0 ? n + 1 : n - 1;
        }
    }

    public static void premain(String arguments, Instrumentation given) {
        agentmain(arguments, given);
    }

    public static void agentmain(String arguments, Instrumentation given) {
        instrumentation = given;
        given.addTransformer(new ClassFileTransformer() {
            @Override
            public byte[] transform(ClassLoader loader, String name, Class<?> old, ProtectionDomain domain, byte[] bytes) {
                return name != null && name.startsWith("Moments") ? bytes.clone() : null;
            }
        }, true);
    }

    static int step0(int n) {
        return n % 2 == 0 ? n + 1 : n - 1;
    }

    static int step1(int n) {
        return n % 2 == 0 ? n + 1 : n - 1;
    }

    static void check(boolean right) {
        if (!right) {
            WRONG.incrementAndGet();
        }
    }

    static void work(int thread, int steps) throws ReflectiveOperationException {
        IntUnaryOperator twice = x -> 2 * x;
        for (int n = 0; n < steps; n++) {
            check((thread == 0 ? step0(n) : step1(n)) == (n % 2 == 0 ? n + 1 : n - 1));
            check(twice.applyAsInt(n) == 2 * n);
            check(Integer.parseInt(String.valueOf(n)) == n);
        }
    }

    static void forever(int thread) {
        try {
            for (int round = 0;; round++) {
                if (round % 50 == 0) {
                    check(new Loader().make().applyAsInt(round) == (round % 3 == 0 ? round + 1 : round - 1));
                }
                Thread.sleep(1); // the commands need processor time, too
                GATE.readLock().lock();
                try {
                    work(thread, 1000);
                } finally {
                    GATE.readLock().unlock();
                }
            }
        } catch (Throwable e) {
            WRONG.incrementAndGet();
            e.printStackTrace();
        }
    }

    static void go(int steps) throws Exception {
        List<Thread> threads = new ArrayList<>();
        for (int t = 0; t < THREADS; t++) {
            int thread = t;
            threads.add(new Thread(() -> {
                try {
                    work(thread, steps);
                } catch (Throwable e) {
                    WRONG.incrementAndGet();
                    e.printStackTrace();
                }
            }));
            threads.get(t).start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
    }

    static void retransform() throws Exception {
        List<Class<?>> own = new ArrayList<>();
        for (Class<?> loaded : instrumentation.getAllLoadedClasses()) {
            if (loaded.getName().startsWith("Moments") && instrumentation.isModifiableClass(loaded)) {
                own.add(loaded);
            }
        }
        instrumentation.retransformClasses(own.toArray(new Class<?>[0]));
    }

    static void end() {
        System.out.println(WRONG.get() == 0 ? "done" : "wrong: " + WRONG);
        System.exit(WRONG.get() == 0 ? 0 : 1);
    }

    public static void main(String[] args) throws Exception {
        for (int t = 0; t < THREADS; t++) {
            int thread = t;
            Thread worker = new Thread(() -> forever(thread));
            worker.setDaemon(true);
            worker.start();
        }
        System.out.println("ready");
        if (args.length > 0) {
            Thread.sleep(Integer.parseInt(args[0]));
            end();
        }
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            if (line.equals("quiet")) {
                GATE.writeLock().lock();
            } else if (line.equals("on")) {
                GATE.writeLock().unlock();
            } else if (line.equals("retransform")) {
                retransform();
            } else if (line.startsWith("go ")) {
                go(Integer.parseInt(line.substring(3)));
            }
            System.out.println(line);
        }
        end();
    }
}
