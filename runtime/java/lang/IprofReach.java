package java.lang;

import jdk.internal.vm.annotation.ForceInline;
import jdk.internal.vm.annotation.Stable;

/**
 * All chunks by number, for code that cannot name their holders because its class loader may not find them. Such code calls
 * methods that the agent gives to java.lang.Object, and those call these.
 *
 * <p>The same rules as for {@link IprofRuntime}. The agent enters each chunk before any code refers to it; an entry is never
 * changed, so that C2 takes arrays of @Stable fields for constants, as it does those of the holders. (A @Stable field of type
 * Object[] makes the arrays in it constant, not the counts inside of these.)
 */
public final class IprofReach {
    private static final int MOST_CHUNKS = 4096;

    /** A chunk has 32,768 counters. */
    private static final int CHUNK_SHIFT = 15;

    private static final int CHUNK_MASK = (1 << CHUNK_SHIFT) - 1;

    /** Constant to C1 and C2, so that they compile only one of the two ways. */
    private static final boolean STRIPED = stripes() > 1;

    /** Arrays of counters: long[], or long[][] if STRIPED. */
    @Stable
    private static final Object[] counters = new Object[MOST_CHUNKS];

    /** Classes in the rows of sites; once written, a row's class is constant too. */
    @Stable
    private static final Class<?>[][] types = new Class<?>[MOST_CHUNKS][];

    /** Their counts: long[]. */
    @Stable
    private static final Object[] typeCounts = new Object[MOST_CHUNKS];

    private IprofReach() {}

    /** The counters of a chunk; with stripes, those of the current thread's stripe. */
    @ForceInline
    public static long[] row(int chunk) {
        Object arrays = counters[chunk];
        return STRIPED ? ((long[][]) arrays)[IprofRuntime.stripe()] : (long[]) arrays;
    }

    /** The agent writes the number of stripes over this constant. */
    private static int stripes() {
        return 0x51515151;
    }

    /** Increments one of all counters, as {@link IprofCounters0#hit} does one of its chunk. */
    @ForceInline
    public static void count(int counter) {
        // Without a call of row: each level of calls costs C1 virtual registers, of which a method has 10,000.
        Object arrays = counters[counter >>> CHUNK_SHIFT];
        long[] row = STRIPED ? ((long[][]) arrays)[IprofRuntime.stripe()] : (long[]) arrays;
        row[counter & CHUNK_MASK]++;
    }

    /** Counts a whole tableswitch, as {@link IprofCounters0#hitKey} does. */
    @ForceInline
    public static void countKey(int key, int low, int keys, int first) {
        int slot = key - low;
        row(first >>> CHUNK_SHIFT)[(first & CHUNK_MASK) + (slot >= 0 && slot < keys ? slot : keys)]++;
    }

    /** Counts the class of an object at a site of a chunk, as {@link IprofReceivers0#hit} does. */
    @ForceInline
    public static void hit(Object object, int chunk, int site) {
        if (object == null) {
            return;
        }
        Class<?> type = object.getClass();
        Class<?>[] rows = types[chunk];
        long[] counts = (long[]) typeCounts[chunk];
        int row = site << 2;
        if (rows[row] == type) {
            counts[row]++;
        } else if (rows[row + 1] == type) {
            counts[row + 1]++;
        } else {
            IprofTypes.others(rows, counts, row, type, chunk * IprofTypes.CHUNK_SITES + site);
        }
    }

    /** As {@link #hit}, for long methods: see {@link IprofReceivers0#meet}. */
    public static void meet(Object object, int chunk, int site) {
        if (object == null) {
            return;
        }
        Class<?> type = object.getClass();
        Class<?>[] rows = types[chunk];
        long[] counts = (long[]) typeCounts[chunk];
        int row = site << 2;
        if (rows[row] == type) {
            counts[row]++;
        } else if (rows[row + 1] == type) {
            counts[row + 1]++;
        } else {
            IprofTypes.others(rows, counts, row, type, chunk * IprofTypes.CHUNK_SITES + site);
        }
    }
}
