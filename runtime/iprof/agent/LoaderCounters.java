package iprof.agent;

/**
 * One chunk of counters, for the classes of one class loader that may not find {@code java.lang.IprofCounters0}.
 *
 * <p>A template: the agent defines it in the loader itself, under a name of its own, and sets the field before any code refers
 * to it. Of other classes it may name java.lang.Object only. The same holds for the other classes of this package.
 */
public final class LoaderCounters {
    public static final long[] c = none();

    private LoaderCounters() {}

    /** As java.lang.IprofCounters0.hit. */
    public static void hit(int counter) {
        c[counter]++;
    }

    /** As java.lang.IprofCounters0.hitKey. */
    public static void hitKey(int key, int low, int keys, int first) {
        int slot = key - low;
        c[first + (slot >= 0 && slot < keys ? slot : keys)]++;
    }

    private static long[] none() {
        return null;
    }
}
