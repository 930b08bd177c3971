package iprof.agent;

/** Like {@link LoaderCounters}, with stripes. */
public final class LoaderStriped {
    private static final long[][] rows = none();

    /** Its hash code is the number of the current thread's stripe: see java.lang.IprofStripe. */
    private static final Object stripe = rows;

    private LoaderStriped() {}

    public static long[] row() {
        return rows[stripe.hashCode()];
    }

    public static void hit(int counter) {
        row()[counter]++;
    }

    public static void hitKey(int key, int low, int keys, int first) {
        int slot = key - low;
        row()[first + (slot >= 0 && slot < keys ? slot : keys)]++;
    }

    private static long[][] none() {
        return null;
    }
}
