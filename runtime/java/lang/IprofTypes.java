package java.lang;

import jdk.internal.misc.Unsafe;

/**
 * What the probes of class-counting sites share: the slow path of {@link IprofReceivers0} and the spill table.
 *
 * <p>The same rules as for {@link IprofRuntime}: nothing throws, blocks, or calls a method that has a body of its own
 * outside the agent's classes; everything works as the first Java code of the VM. The slow path allocates nothing.
 */
public final class IprofTypes {
    /** Sites in a chunk times rows in a site. */
    private static final int CHUNK_ROWS = 8192 * 2;

    private IprofTypes() {}

    /** Slots of the spill table; a power of two. */
    private static final int SPILL_SLOTS = 1 << 16;

    /**
     * How far a class may lie from its slot before it counts as lost. Nearly all lie within a few slots; this many are
     * needed when the table is three quarters full, which a burst of new classes makes it between two harvests.
     */
    private static final int LONGEST_PROBE = 512;

    /** What the initialiser of the next holder of sites takes, as with counters. */
    private static Class<?>[] nextTypes;

    private static long[] nextTypeCounts;

    /** Set by the agent once the VM is initialised; null until then, when there is one thread and only boot classes. */
    private static Unsafe unsafe;

    /** Where an object of Class keeps its loader; set with {@link #unsafe}. */
    private static long loaderOffset;

    /** Where the elements of arrays start; set with {@link #unsafe}. Unsafe's own constants differ in type from 25 on. */
    private static long typeBase;

    private static long typeScale;

    private static long intBase;

    private static ClassLoader platformLoader;

    private static ClassLoader applicationLoader;

    /**
     * Counts of classes that no row holds: {Class[] types, int[] sites plus one, long[] counts, long[] lost by site, int[1]
     * slots used}. An array, since making an object would count as a call of its constructor. The agent replaces it by an
     * empty one every few seconds and drains the old one a period later, so that nothing is held for long.
     */
    private static Object[] spill = newSpill();

    static Class<?>[] takeTypes() {
        Class<?>[] given = nextTypes;
        nextTypes = null;
        return given != null ? given : new Class<?>[CHUNK_ROWS];
    }

    static long[] takeTypeCounts() {
        long[] given = nextTypeCounts;
        nextTypeCounts = null;
        return given != null ? given : new long[CHUNK_ROWS];
    }

    /** Called by the agent: puts an empty table in place and gives back the old one. */
    private static Object[] swapSpill() {
        Object[] fresh = newSpill();
        Object[] old = spill;
        spill = fresh;
        return old;
    }

    private static Object[] newSpill() {
        return new Object[] {
            new Class<?>[SPILL_SLOTS], new int[SPILL_SLOTS], new long[SPILL_SLOTS], new long[SPILL_SLOTS], new int[1]
        };
    }

    /** A class that none of its site's rows holds. */
    static void miss(Class<?>[] types, long[] counts, int row, Class<?> type, int site) {
        if (mayStay(type)) {
            for (int i = row; i < row + 2; i++) {
                if (types[i] == null) {
                    claim(types, i, type);
                }
                if (types[i] == type) {
                    counts[i]++;
                    return;
                }
            }
        }
        spill(type, site);
    }

    /** Whether a class may be held until the program ends. Hidden classes may be unloaded before their loader. */
    private static boolean mayStay(Class<?> type) {
        Unsafe u = unsafe;
        if (u == null) {
            return true;
        }
        Object loader = u.getReference(type, loaderOffset);
        return (loader == null || loader == platformLoader || loader == applicationLoader) && !type.isHidden();
    }

    private static void claim(Class<?>[] types, int index, Class<?> type) {
        Unsafe u = unsafe;
        if (u == null) {
            types[index] = type;
        } else {
            u.compareAndSetReference(types, typeBase + (long) index * typeScale, null, type);
        }
    }

    private static void spill(Class<?> type, int site) {
        Object[] table = spill;
        Class<?>[] types = (Class<?>[]) table[0];
        int[] sites = (int[]) table[1];
        Unsafe u = unsafe;
        // Before the VM is initialised identity hashes cannot be had; the site alone decides.
        int hash = (u == null ? 0 : System.identityHashCode(type) * 0x2c1b3c6d) + site * 0x297a2d39;
        int slot = (hash ^ hash >>> 15) & SPILL_SLOTS - 1;
        int longest = u == null ? SPILL_SLOTS : LONGEST_PROBE;
        for (int probe = 0; probe < longest; probe++) {
            // Only who claimed a slot writes its type. Whoever sees the slot without its type goes on to another one: the
            // agent adds both up.
            if (sites[slot] == 0 && claim(sites, slot, site + 1)) {
                types[slot] = type;
                ((long[]) table[2])[slot]++;
                ((int[]) table[4])[0]++;
                return;
            }
            if (sites[slot] == site + 1 && types[slot] == type) {
                ((long[]) table[2])[slot]++;
                return;
            }
            slot = slot + 1 & SPILL_SLOTS - 1;
        }
        ((long[]) table[3])[site & SPILL_SLOTS - 1]++;
    }

    private static boolean claim(int[] sites, int slot, int owner) {
        Unsafe u = unsafe;
        if (u == null) {
            sites[slot] = owner;
            return true;
        }
        return u.compareAndSetInt(sites, intBase + (long) slot * 4, 0, owner);
    }
}
