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
 * seconds the agent makes them write to the other one; a period later it drains and clears the half that came to rest. Why
 * not a fresh table instead: arrays in static final fields are constants to the compilers, as in {@link IprofCounters0}, and
 * nothing is allocated.
 *
 * <p>Nothing here refers to a class that the program can drop. A slot belongs to a site and to one of two things: a class
 * that stays until the program ends, which the slot refers to; or the identity hash of a class that may be unloaded, or
 * whose arrays are meant. The agent knows which classes have a hash; where two of them share one it counts their objects as
 * of unknown class.
 */
public final class IprofTypes {
    static final int CHUNK_SITES = 8192;

    /** Sites in a chunk times rows in a site. */
    private static final int CHUNK_ROWS = CHUNK_SITES * 4;

    private IprofTypes() {}

    /** In the key of a slot whose class stays, in place of an identity hash, which is never negative. */
    private static final long STAYS = 0xffffffffL;

    /** In the key of a slot for arrays: one dimension. */
    private static final long DIMENSION = 1L << 58;

    private static final int MOST_DIMENSIONS = 31;

    /**
     * How far a class may lie from its slot before it counts as lost. Nearly all lie within a few slots; this many are
     * needed when the table is three quarters full, which a burst of new classes makes it between two harvests.
     */
    private static final int LONGEST_PROBE = 512;

    /** Whoever finds no place within this many slots is not kept. */
    private static final int LONGEST_HIDDEN_PROBE = 32;

    /** What the initialiser of the next holder of sites takes, as with counters. */
    private static Class<?>[] nextTypes;

    private static long[] nextTypeCounts;

    /** Set by the agent once the VM is initialised; null until then, when there is one thread and only boot classes. */
    private static Unsafe unsafe;

    /** Where an object of Class keeps its loader; set with {@link #unsafe}. */
    private static long loaderOffset;

    /** Where an object of Class keeps its elements' class if it is an array's; set with {@link #unsafe}. */
    private static long componentOffset;

    /** Where the elements of arrays start; set with {@link #unsafe}. Unsafe's own constants differ in type from 25 on. */
    private static long typeBase;

    private static long typeScale;

    private static long longBase;

    private static ClassLoader platformLoader;

    private static ClassLoader applicationLoader;

    /** The spill table: dimensions, site plus one and identity hash (or STAYS) in one number; zero where the slot is free. */
    private static final long[] spillKeys = new long[2 * spillSlots()];

    /** How often site and class met. */
    private static final long[] spillCounts = new long[2 * spillSlots()];

    /** The class of a slot whose class stays. */
    private static final Class<?>[] spillTypes = new Class<?>[2 * spillSlots()];

    /** Slots in use, by half. */
    private static final int[] spillUsed = new int[2];

    /** Objects that found no slot, by site modulo length; only ever grows. */
    private static final long[] lost = new long[spillSlots()];

    /** The first slot of the half that probes write to: 0 or lost.length. The agent changes it. */
    private static int spillHalf;

    /** Hidden classes that live as long as their loader, which stays until the program ends. */
    private static final Class<?>[] stayingHidden = new Class<?>[spillSlots() / 4];

    /** Slots in a half of the spill table, a power of two up to 65536. The agent writes the number over this constant. */
    private static int spillSlots() {
        return 0x53535353;
    }

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
        // Before the VM is initialised identity hashes cannot be had; the site alone decides.
        int hash = unsafe == null ? 0 : System.identityHashCode(type);
        int slot = slot(hash, site);
        long owner = (long) (site + 1) << 32;
        long key = spillKeys[slot];
        // A class that stays may have the hash of one that does not: with class-data sharing the hashes of archived classes
        // are the very numbers that the main thread hands out first.
        if (spillTypes[slot] == type ? key == (owner | STAYS) : key == (owner | hash) && !loaderStays(unsafe, type)) {
            spillCounts[slot]++;
        } else {
            first(types, counts, row, type, site, hash);
        }
    }

    /** Where the spill table keeps a class at a site, unless another pair was there first. */
    private static int slot(int hash, int site) {
        int mixed = hash * 0x2c1b3c6d + site * 0x297a2d39;
        return (mixed >>> 16 & lost.length - 1) + spillHalf;
    }

    /** Mostly the first time that a class comes to a site: it takes a free row or a slot. */
    private static void first(Class<?>[] types, long[] counts, int row, Class<?> type, int site, int hash) {
        boolean stays = mayStay(type);
        if (stays && types[row + 3] == null) {
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
        long owner = (long) (site + 1) << 32;
        if (stays) {
            spill(type, owner | STAYS, slot(hash, site), site);
        } else {
            droppable(type, owner, site, hash);
        }
    }

    /**
     * An array's class goes by the hash of its elements' class and the number of its dimensions, since the agent does not
     * see it come into being.
     */
    private static void droppable(Class<?> type, long owner, int site, int hash) {
        Class<?> element = type;
        long key = owner;
        int dimensions = 0;
        while (unsafe.getReference(element, componentOffset) instanceof Class<?> next) {
            element = next;
            key += DIMENSION;
            dimensions++;
        }
        if (dimensions > MOST_DIMENSIONS) {
            lost[site & lost.length - 1]++;
            return;
        }
        int known = dimensions == 0 ? hash : System.identityHashCode(element);
        spill(null, key | known, slot(known, site), site);
    }

    /** Whether a class may be held until the program ends. */
    private static boolean mayStay(Class<?> type) {
        Unsafe u = unsafe;
        if (u == null) {
            return true;
        }
        if (!loaderStays(u, type)) {
            return false;
        }
        // An array's class stays as long as that of its elements, which may be a hidden one. The JVM may keep something else
        // in this field of a class that is no array.
        Class<?> element = type;
        while (u.getReference(element, componentOffset) instanceof Class<?> next) {
            element = next;
        }
        return !element.isHidden() || isStayingHidden(element);
    }

    private static boolean loaderStays(Unsafe u, Class<?> type) {
        Object loader = u.getReference(type, loaderOffset);
        return loader == null || loader == platformLoader || loader == applicationLoader;
    }

    private static boolean isStayingHidden(Class<?> type) {
        int slot = System.identityHashCode(type);
        for (int probe = 0; probe < LONGEST_HIDDEN_PROBE; probe++) {
            Class<?> there = stayingHidden[slot + probe & stayingHidden.length - 1];
            if (there == type) {
                return true;
            }
            if (there == null) {
                return false;
            }
        }
        return false;
    }

    /**
     * Called by the agent, on any thread, for a hidden class that its loader keeps, before anything else can know it. Says
     * whether rows and slots may refer to it from now on.
     */
    private static boolean keepHidden(Class<?> type) {
        Unsafe u = unsafe;
        if (u == null || !loaderStays(u, type)) {
            return false;
        }
        int slot = System.identityHashCode(type);
        for (int probe = 0; probe < LONGEST_HIDDEN_PROBE; probe++) {
            int at = slot + probe & stayingHidden.length - 1;
            if (stayingHidden[at] == null && u.compareAndSetReference(stayingHidden, typeBase + at * typeScale, null, type)) {
                return true;
            }
        }
        return false;
    }

    private static void claim(Class<?>[] types, int index, Class<?> type) {
        Unsafe u = unsafe;
        if (u == null) {
            types[index] = type;
        } else {
            u.compareAndSetReference(types, typeBase + (long) index * typeScale, null, type);
        }
    }

    /** The class is null where the slot must not refer to it: the key tells it then. */
    private static void spill(Class<?> type, long key, int home, int site) {
        int slots = lost.length;
        int half = home & slots;
        int longest = unsafe == null || slots < LONGEST_PROBE ? slots : LONGEST_PROBE;
        for (int probe = 0; probe < longest; probe++) {
            int slot = (home + probe & slots - 1) + half;
            // Only who claimed a slot writes its type. Whoever sees the slot without its type goes on to another one: the
            // agent adds both up.
            if (spillKeys[slot] == 0 && claim(slot, key)) {
                if (type != null) {
                    spillTypes[slot] = type;
                }
                spillCounts[slot]++;
                spillUsed[half == 0 ? 0 : 1]++;
                return;
            }
            if (spillKeys[slot] == key && spillTypes[slot] == type) {
                spillCounts[slot]++;
                return;
            }
        }
        lost[site & slots - 1]++;
    }

    private static boolean claim(int slot, long key) {
        Unsafe u = unsafe;
        if (u == null) {
            spillKeys[slot] = key;
            return true;
        }
        return u.compareAndSetLong(spillKeys, longBase + (long) slot * 8, 0, key);
    }
}
