package java.lang;

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

    private static int stripes() {
        return 0x51515151;
    }
}
