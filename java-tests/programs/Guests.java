import java.lang.ref.WeakReference;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.function.IntUnaryOperator;

/**
 * A call that meets four classes equally often, and a class of a loader of its own that goes while the program runs. Works STEPS
 * times, prints "ready", waits for a line, lets the class be unloaded, prints "gone", waits for another line, and ends.
 */
public final class Guests {
    interface Guest { int stay(int n); }
    record First() implements Guest { public int stay(int n) { return n; } }
    record Second() implements Guest { public int stay(int n) { return n + 1; } }
    record Third() implements Guest { public int stay(int n) { return n + 2; } }
    record Fourth() implements Guest { public int stay(int n) { return n + 3; } }

    /** Is unloaded. */
    public static final class Visitor implements IntUnaryOperator {
        @Override
        public int applyAsInt(int n) { return n % 4 == 0 ? 1 : 2; }
    }

    private static IntUnaryOperator visitor;

    static int meet(Guest guest, int n) { return guest.stay(n); }

    static int meetAll(int steps) {
        Guest[] guests = {new First(), new Second(), new Third(), new Fourth()};
        int sum = 0;
        for (int i = 0; i < steps; i++) sum += meet(guests[i % 4], i);
        return sum;
    }

    static int visit(int steps) throws Exception {
        URL[] path = {Guests.class.getProtectionDomain().getCodeSource().getLocation()};
        try (URLClassLoader loader = new URLClassLoader(path, ClassLoader.getPlatformClassLoader())) {
            visitor = (IntUnaryOperator) loader.loadClass("Guests$Visitor").getDeclaredConstructor().newInstance();
        }
        int sum = 0;
        for (int i = 0; i < steps; i++) sum += visitor.applyAsInt(i);
        return sum;
    }

    static void unload() throws Exception {
        WeakReference<ClassLoader> loader = new WeakReference<>(visitor.getClass().getClassLoader());
        visitor = null;
        while (loader.get() != null) {
            System.gc();
            Thread.sleep(10);
        }
    }

    public static void main(String[] args) throws Exception {
        int steps = Integer.parseInt(args[0]);
        System.out.println(meetAll(steps) + visit(steps) > 0 ? "ready" : "wrong");
        System.in.read();
        unload();
        System.out.println("gone");
        System.in.read();
        System.out.println("done");
    }
}
