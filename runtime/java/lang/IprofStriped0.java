package java.lang;

import jdk.internal.vm.annotation.ForceInline;

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

    /** Returns the array of the current thread's stripe. Probes call this; C2 inlines it. */
    public static long[] row() {
        return rows[IprofRuntime.stripe()];
    }

    /**
     * Increments a counter of the current thread's stripe. The shorter probes of long methods call this. C1 does not
     * inline it, because it is too long and has no annotation; C2 inlines it in hot code. Inlined, it would take about
     * 40 of the 10,000 virtual registers that C1 has for a method.
     */
    public static void hit(int counter) {
        int mask = IprofRuntime.stripeMask;
        if (mask == 0) {
            rows[0][counter]++;
        } else {
            rows[System.identityHashCode(Thread.currentThread()) & mask][counter]++;
        }
    }

    /** Like {@link IprofCounters0#hitKey}. */
    @ForceInline
    public static void hitKey(int key, int low, int keys, int first) {
        int slot = key - low;
        rows[IprofRuntime.stripe()][first + (slot >= 0 && slot < keys ? slot : keys)]++;
    }

    private static int stripes() {
        return 0x51515151;
    }
}
