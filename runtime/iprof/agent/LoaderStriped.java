package iprof.agent;

/** Like {@link LoaderCounters}, with stripes. */
public final class LoaderStriped {
    private static final long[][] rows = none();

    /** Its hash code is the number of the current thread's stripe: see java.lang.IprofStripe. */
    private static final Object stripe = rows;

    private LoaderStriped() {}

    /** See java.lang.IprofStriped0.hit. */
    public static void hit(int counter) {
        long notForC1, a, b, c, d, e;
        rows[stripe.hashCode()][counter]++;
    }

    public static void hitKey(int key, int low, int keys, int first) {
        long notForC1, a, b, c, d, e;
        int slot = key - low;
        rows[stripe.hashCode()][first + (slot >= 0 && slot < keys ? slot : keys)]++;
    }

    private static long[][] none() {
        return null;
    }
}
