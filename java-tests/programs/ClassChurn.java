import java.io.IOException;
import java.io.InputStream;
import java.lang.invoke.MethodHandles;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.function.IntUnaryOperator;

/**
 * Loads and unloads classes, like a server that runs scripts, templates and proxies: CLASSES [MODES [PAUSE]]. Modes: l
 * loaders that define the same two classes, u classes with unique names, h hidden classes, p proxies; default luhp.
 * PAUSE: milliseconds to wait after every twentieth part.
 *
 * <p>Prints the process's memory after every twentieth part: "classes 50000 rss_kb 123456". At the end it prints a sum
 * that depends only on the arguments, and how often it ran the class that loaders define again and again.
 */
public final class ClassChurn {
    public interface Task {
        int run(int x);
    }

    /** The class that loaders define again and again: a branch, a lambda, a call of an interface method, a monitor. */
    public static final class Script implements Task {
        private int state;

        @Override
        public synchronized int run(int x) {
            IntUnaryOperator twice = y -> 2 * y + state;
            for (int i = 0; i < 3; i++) {
                state = (x + i) % 2 == 0 ? new Helper().help(state) : twice.applyAsInt(state) + x;
            }
            return state;
        }
    }

    public static final class Helper {
        int help(int x) {
            return x > 10 ? x - 7 : x + 3;
        }
    }

    /** A template: its copies get other names of the same length. */
    public static final class Unique00000000 implements Task {
        @Override
        public int run(int x) {
            int sum = 0;
            for (int i = 0; i < x % 5; i++) {
                sum += i % 2 == 0 ? x : -i;
            }
            return sum;
        }
    }

    private static final class Loader extends ClassLoader {
        private final Map<String, byte[]> classes;

        Loader(Map<String, byte[]> classes) {
            super(ClassChurn.class.getClassLoader());
            this.classes = classes;
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            byte[] bytes = classes.get(name);
            if (bytes == null) {
                return super.loadClass(name, resolve);
            }
            synchronized (getClassLoadingLock(name)) {
                Class<?> known = findLoadedClass(name);
                return known != null ? known : defineClass(name, bytes, 0, bytes.length);
            }
        }
    }

    private static byte[] bytesOf(String name) throws IOException {
        try (InputStream in = ClassChurn.class.getResourceAsStream(name + ".class")) {
            return in.readAllBytes();
        }
    }

    private static byte[] renamed(byte[] bytes, String from, String to) {
        String text = new String(bytes, StandardCharsets.ISO_8859_1);
        return text.replace(from, to).getBytes(StandardCharsets.ISO_8859_1);
    }

    private static long rssKb() throws IOException {
        for (String line : Files.readAllLines(Path.of("/proc/self/status"))) {
            if (line.startsWith("VmRSS:")) {
                return Long.parseLong(line.replaceAll("[^0-9]", ""));
            }
        }
        return 0;
    }

    private static int run(Class<?> task, int x) throws ReflectiveOperationException {
        return ((Task) task.getDeclaredConstructor().newInstance()).run(x);
    }

    public static void main(String[] args) throws Exception {
        int wanted = Integer.parseInt(args[0]);
        String modes = args.length > 1 ? args[1] : "luhp";
        int pauseMs = args.length > 2 ? Integer.parseInt(args[2]) : 0;
        Map<String, byte[]> scripts =
                Map.of("ClassChurn$Script", bytesOf("ClassChurn$Script"), "ClassChurn$Helper", bytesOf("ClassChurn$Helper"));
        byte[] unique = bytesOf("ClassChurn$Unique00000000");
        byte[] task = bytesOf("ClassChurn$Task");
        MethodHandles.Lookup lookup = MethodHandles.lookup();
        long sum = 0;
        int classes = 0;
        int runs = 0;
        int next = 0;
        int step = Math.max(wanted / 20, 1);
        for (int i = 0; classes < wanted; i++) {
            int before = classes;
            int x = i % 100;
            if (modes.contains("l")) {
                sum += run(new Loader(scripts).loadClass("ClassChurn$Script"), x);
                runs++;
                classes += 3; // the script, its helper, its lambda
            }
            if (modes.contains("u")) {
                for (int j = 0; j < 4; j++) {
                    String name = String.format("ClassChurn$Unique%08d", 4 * i + j + 1);
                    byte[] bytes = renamed(unique, "ClassChurn$Unique00000000", name);
                    sum += run(new Loader(Map.of(name, bytes)).loadClass(name), x);
                    classes++;
                }
            }
            if (modes.contains("h")) {
                sum += run(lookup.defineHiddenClass(unique, true).lookupClass(), x);
                classes++;
            }
            if (modes.contains("p") && i % 4 == 0) {
                // An interface in its own loader, so that the proxy is unloaded with it.
                Loader loader = new Loader(Map.of("ClassChurn$Task", task));
                Class<?> type = loader.loadClass("ClassChurn$Task");
                Object proxy = Proxy.newProxyInstance(loader, new Class<?>[] {type}, (p, m, a) -> ((int) a[0]) + 1);
                sum += (int) type.getMethod("run", int.class).invoke(proxy, x);
                classes += 3; // the interface, the proxy, the accessor or none
            }
            if (classes == before) {
                throw new IllegalArgumentException("no such modes: " + modes);
            }
            if (classes >= next) {
                // Frees what can be freed; the rest is held by someone.
                System.gc();
                System.out.println("classes " + classes + " rss_kb " + rssKb());
                next += step;
                Thread.sleep(pauseMs);
            }
        }
        System.gc();
        Thread.sleep(500);
        System.out.println("classes " + classes + " rss_kb " + rssKb());
        System.out.println("sum " + sum + " scripts " + runs);
    }
}
