package java.lang;

import jdk.internal.misc.Unsafe;
import jdk.internal.vm.annotation.DontInline;

/**
 * What the probes of class-counting sites share: the slow path of {@link IprofReceivers0} and the spill table.
 *
 * <p>The same rules as for {@link IprofRuntime}: nothing throws, blocks, or calls a method that has a body of its own
 * outside the agent's classes; everything works as the first Java code of the VM. The slow path allocates nothing.
 *
 * <p>The spill table holds counts of classes that no row holds. It has two halves, and probes write to one of them. Every few
 * seconds the agent makes them write to the other one; a period later it drains and clears the half that came to rest, so that
 * nothing is held for long. Why not a fresh table instead: arrays in static final fields are constants to the compilers, as in
 * {@link IprofCounters0}, and nothing is allocated.
 */
public final class IprofTypes {
    static final int CHUNK_SITES = 8192;

    /** Sites in a chunk times rows in a site. */
    private static final int CHUNK_ROWS = CHUNK_SITES * 4;

    private IprofTypes() {}

    /** Slots in a half of the spill table. Sixteen bits of a hash are a slot. */
    private static final int SPILL_SLOTS = 1 << 16;

    /**
     * How far a class may lie from its slot before it counts as lost. Nearly all lie within a few slots; this many are
     * needed when the table is three quarters full, which a burst of new classes makes it between two harvests.
     */
    private static final int LONGEST_PROBE = 512;

    private static final int HIDDEN_SLOTS = 1 << 14;

    /** Whoever finds no place within this many slots is not kept. */
    private static final int LONGEST_HIDDEN_PROBE = 32;

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

    /** The spill table: a class, its site plus one, how often they met. */
    private static final Class<?>[] spillTypes = new Class<?>[2 * SPILL_SLOTS];

    private static final int[] spillSites = new int[2 * SPILL_SLOTS];

    private static final long[] spillCounts = new long[2 * SPILL_SLOTS];

    /** Slots in use, by half. */
    private static final int[] spillUsed = new int[2];

    /** Objects that found no slot, by site modulo length; only ever grows. */
    private static final long[] lost = new long[SPILL_SLOTS];

    /** The first slot of the half that probes write to: 0 or SPILL_SLOTS. The agent changes it. */
    private static int spillHalf;

    /** Hidden classes that live as long as their loader, which stays until the program ends. */
    private static final Class<?>[] stayingHidden = new Class<?>[HIDDEN_SLOTS];

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

    /**
     * A class that is in neither of a site's first two rows. Not inlined: a few such sites would take the room that the
     * compiler has for calls of the program itself.
     */
    @DontInline
    static void others(Class<?>[] types, long[] counts, int row, Class<?> type, int site) {
        if (types[row + 2] == type) {
            counts[row + 2]++;
            return;
        }
        if (types[row + 3] == type) {
            counts[row + 3]++;
            return;
        }
        int slot = slot(type, site);
        if (spillTypes[slot] == type && spillSites[slot] == site + 1) {
            spillCounts[slot]++;
        } else {
            first(types, counts, row, type, site, slot);
        }
    }

    /** Where the spill table keeps a class at a site, unless another pair was there first. */
    private static int slot(Class<?> type, int site) {
        // Before the VM is initialised identity hashes cannot be had; the site alone decides.
        int hash = (unsafe == null ? 0 : System.identityHashCode(type)) * 0x2c1b3c6d + site * 0x297a2d39;
        return (hash >>> 16) + spillHalf;
    }

    /** Mostly the first time that a class comes to a site: it takes a free row or a slot. */
    private static void first(Class<?>[] types, long[] counts, int row, Class<?> type, int site, int slot) {
        if (types[row + 3] == null && mayStay(type)) {
            for (int i = row; i < row + 4; i++) {
                if (types[i] == null) {
                    claim(types, i, type);
                }
                if (types[i] == type) {
                    counts[i]++;
                    return;
                }
            }
        }
        spill(type, site, slot);
    }

    /** Whether a class may be held until the program ends. */
    private static boolean mayStay(Class<?> type) {
        Unsafe u = unsafe;
        return u == null || (loaderStays(u, type) && (!type.isHidden() || isStayingHidden(type)));
    }

    private static boolean loaderStays(Unsafe u, Class<?> type) {
        Object loader = u.getReference(type, loaderOffset);
        return loader == null || loader == platformLoader || loader == applicationLoader;
    }

    private static boolean isStayingHidden(Class<?> type) {
        int slot = System.identityHashCode(type);
        for (int probe = 0; probe < LONGEST_HIDDEN_PROBE; probe++) {
            Class<?> there = stayingHidden[slot + probe & HIDDEN_SLOTS - 1];
            if (there == type) {
                return true;
            }
            if (there == null) {
                return false;
            }
        }
        return false;
    }

    /** Called by the agent, on any thread, for a hidden class that its loader keeps, before anything else can know it. */
    private static void keepHidden(Class<?> type) {
        Unsafe u = unsafe;
        if (u == null || !loaderStays(u, type)) {
            return;
        }
        int slot = System.identityHashCode(type);
        for (int probe = 0; probe < LONGEST_HIDDEN_PROBE; probe++) {
            int at = slot + probe & HIDDEN_SLOTS - 1;
            if (stayingHidden[at] == null && u.compareAndSetReference(stayingHidden, typeBase + at * typeScale, null, type)) {
                return;
            }
        }
    }

    private static void claim(Class<?>[] types, int index, Class<?> type) {
        Unsafe u = unsafe;
        if (u == null) {
            types[index] = type;
        } else {
            u.compareAndSetReference(types, typeBase + (long) index * typeScale, null, type);
        }
    }

    private static void spill(Class<?> type, int site, int home) {
        int half = home & SPILL_SLOTS;
        int longest = unsafe == null ? SPILL_SLOTS : LONGEST_PROBE;
        for (int probe = 0; probe < longest; probe++) {
            int slot = (home + probe & SPILL_SLOTS - 1) + half;
            // Only who claimed a slot writes its type. Whoever sees the slot without its type goes on to another one: the
            // agent adds both up.
            if (spillSites[slot] == 0 && claim(slot, site + 1)) {
                spillTypes[slot] = type;
                spillCounts[slot]++;
                spillUsed[half >>> 16]++;
                return;
            }
            if (spillSites[slot] == site + 1 && spillTypes[slot] == type) {
                spillCounts[slot]++;
                return;
            }
        }
        lost[site & SPILL_SLOTS - 1]++;
    }

    private static boolean claim(int slot, int owner) {
        Unsafe u = unsafe;
        if (u == null) {
            spillSites[slot] = owner;
            return true;
        }
        return u.compareAndSetInt(spillSites, intBase + (long) slot * 4, 0, owner);
    }
}
