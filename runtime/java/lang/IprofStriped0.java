package java.lang;

import jdk.internal.vm.annotation.ForceInline;

/**
 * One chunk of striped counters, used in place of {@link IprofCounters0} when the agent runs with stripes=N, N &gt; 1:
 * threads are spread over N arrays, so that two threads on one branch seldom meet on one counter.
 *
 * <p>The agent defines it under the name IprofStripedK for chunk K, after writing the number of stripes over the
 * constant in {@link #stripes()}.
 */
public final class IprofStriped0 {
    private static final long[][] rows = IprofRuntime.takeRows(stripes());

    private IprofStriped0() {}

    /** The array of the current thread's stripe. Probes call this; C2 inlines it. */
    public static long[] row() {
        return rows[IprofRuntime.stripe()];
    }

    /** Increments a counter of the current thread's stripe: what the shorter probes of long methods call. */
    @ForceInline
    public static void hit(int counter) {
        rows[IprofRuntime.stripe()][counter]++;
    }

    /** As {@link IprofCounters0#hitKey}. */
    @ForceInline
    public static void hitKey(int key, int low, int keys, int first) {
        int slot = key - low;
        rows[IprofRuntime.stripe()][first + (slot >= 0 && slot < keys ? slot : keys)]++;
    }

    private static int stripes() {
        return 0x51515151;
    }
}
