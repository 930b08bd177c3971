package java.lang;

/**
 * One chunk of striped counters, used instead of {@link IprofCounters0} if the agent runs with stripes=N, N &gt; 1:
 * threads are distributed over N arrays, so that two threads on the same branch seldom increment the same counter.
 *
 * <p>The agent defines it under the name IprofStripedK for chunk K, after overwriting the constant in {@link
 * #stripes()} with the number of stripes.
 */
public final class IprofStriped0 {
    private static final long[][] rows = IprofRuntime.takeRows(stripes());

    private IprofStriped0() {}

    /**
     * Increments a counter of the current thread's stripe. Probes call this.
     *
     * <p>C2 inlines it, and C1 must not: C1 has 10,000 virtual registers for a method and what it inlines there. A call
     * takes 2 of them, this code inlined takes 34. C1 inlines no method with as many locals as this one has
     * (C1InlineStackLimit).
     */
    public static void hit(int counter) {
        long notForC1, a, b, c, d, e;
        rows[IprofRuntime.stripe()][counter]++;
    }

    /** Like {@link IprofCounters0#hitKey}. */
    public static void hitKey(int key, int low, int keys, int first) {
        long notForC1, a, b, c, d, e;
        int slot = key - low;
        rows[IprofRuntime.stripe()][first + (slot >= 0 && slot < keys ? slot : keys)]++;
    }

    private static int stripes() {
        return 0x51515151;
    }
}
