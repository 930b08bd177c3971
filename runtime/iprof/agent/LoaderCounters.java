package iprof.agent;

/**
 * One chunk of counters, for the classes of one class loader that may not be able to find {@code
 * java.lang.IprofCounters0}.
 *
 * <p>This is a template: the agent defines it in the loader itself, under a unique name, and sets the field before any
 * code refers to it. The only other class that it may name is java.lang.Object. The same is true for the other classes
 * of this package.
 */
public final class LoaderCounters {
    public static final long[] c = none();

    private LoaderCounters() {}

    /** See java.lang.IprofCounters0.hit. */
    public static void hit(int counter) {
        c[counter]++;
    }

    /** See java.lang.IprofCounters0.hitKey. */
    public static void hitKey(int key, int low, int keys, int first) {
        int slot = key - low;
        c[first + (slot >= 0 && slot < keys ? slot : keys)]++;
    }

    private static long[] none() {
        return null;
    }
}
