package java.lang;

import jdk.internal.vm.annotation.ForceInline;
import jdk.internal.vm.annotation.Stable;

/**
 * All chunks by number, for code whose class loader may not be able to find their holders. Such code calls methods that
 * the agent adds to java.lang.Object, and those call the methods here.
 *
 * <p>The rules are those of {@link IprofRuntime}. The agent sets the entry of a chunk before any code refers to it, and
 * never changes it. So C2 treats arrays in @Stable fields as constants, like those of the holders. (With a @Stable
 * field of type Object[], the arrays in it are constant, not the counts in these arrays.)
 */
public final class IprofReach {
    private static final int MOST_CHUNKS = 4096;

    /** A chunk has 32,768 counters. */
    private static final int CHUNK_SHIFT = 15;

    private static final int CHUNK_MASK = (1 << CHUNK_SHIFT) - 1;

    /** A constant for C1 and C2, so that they compile only one of the two branches. */
    private static final boolean STRIPED = stripes() > 1;

    /** Arrays of counters: long[], or long[][] if STRIPED. */
    @Stable
    private static final Object[] counters = new Object[MOST_CHUNKS];

    /** Classes in the rows of sites. Once written, the class of a row is also a constant. */
    @Stable
    private static final Class<?>[][] types = new Class<?>[MOST_CHUNKS][];

    /** Their counts: long[]. */
    @Stable
    private static final Object[] typeCounts = new Object[MOST_CHUNKS];

    private IprofReach() {}

    /** The counters of a chunk, without stripes. */
    @ForceInline
    public static long[] row(int chunk) {
        return (long[]) counters[chunk];
    }

    /** The agent writes the number of stripes over this constant. */
    private static int stripes() {
        return 0x51515151;
    }

    /** Increments any counter, as {@link IprofCounters0#hit} does for its chunk. */
    @ForceInline
    public static void count(int counter) {
        // This calls no other method, because each level of calls costs C1 some of a method's 10,000 virtual registers.
        Object arrays = counters[counter >>> CHUNK_SHIFT];
        long[] row = STRIPED ? ((long[][]) arrays)[IprofRuntime.stripe()] : (long[]) arrays;
        row[counter & CHUNK_MASK]++;
    }

    /** Counts a whole tableswitch, as {@link IprofCounters0#hitKey} does. */
    @ForceInline
    public static void countKey(int key, int low, int keys, int first) {
        int slot = key - low;
        Object arrays = counters[first >>> CHUNK_SHIFT];
        long[] row = STRIPED ? ((long[][]) arrays)[IprofRuntime.stripe()] : (long[]) arrays;
        row[(first & CHUNK_MASK) + (slot >= 0 && slot < keys ? slot : keys)]++;
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

    /** Takes a stack now and then: see {@link IprofContexts}. */
    @ForceInline
    public static void object(Object object, int site) {
        IprofContexts.object(object, site);
    }

    @ForceInline
    public static void objects(Object first, Object second, int site) {
        IprofContexts.objects(first, second, site);
    }

    @ForceInline
    public static void number(int number, int site) {
        IprofContexts.number(number, site);
    }

    @ForceInline
    public static void numbers(int first, int second, int site) {
        IprofContexts.numbers(first, second, site);
    }

    /** Like {@link #hit}: see {@link IprofReceivers0#meet}. */
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
