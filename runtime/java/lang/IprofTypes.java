package java.lang;

import jdk.internal.misc.Unsafe;
import jdk.internal.vm.annotation.DontInline;

/**
 * Shared by the probes of class-counting sites: the slow path of {@link IprofReceivers0} and the spill table.
 *
 * <p>The rules are those of {@link IprofRuntime}: nothing throws, blocks, or calls a bytecode method outside the
 * agent's classes; everything works as the first Java code of the VM. The slow path does not allocate.
 *
 * <p>The spill table has the counts of classes that are in no row. It has two halves, and probes write to one of them.
 * Every few seconds the agent makes them write to the other half; one period later it drains and clears the first half,
 * to which no probe writes any more. Two fixed halves are used instead of new tables, because compilers treat arrays in
 * static final fields as constants, as in {@link IprofCounters0}, and because nothing has to be allocated.
 *
 * <p>Nothing here refers to a class that may be unloaded. A slot belongs to a site and one of two kinds of key. For a
 * class that stays until the program ends, the slot refers to the class. For a class that may be unloaded, and for
 * arrays, the key is the identity hash of the class, or of the arrays' element class. The agent knows which class has
 * which hash; if two classes share one, it counts their objects as of unknown class.
 */
public final class IprofTypes {
    static final int CHUNK_SITES = 8192;

    /** Sites in a chunk times rows in a site. */
    private static final int CHUNK_ROWS = CHUNK_SITES * 4;

    private IprofTypes() {}

    /** In the key of a slot whose class stays, instead of an identity hash, which is never negative. */
    private static final long STAYS = 0xffffffffL;

    /** In the key of a slot for arrays: one dimension. */
    private static final long DIMENSION = 1L << 58;

    private static final int MOST_DIMENSIONS = 31;

    /**
     * How far a class may be from its slot before it is lost. Nearly all are within a few slots. This many are needed
     * if the table is three quarters full, which can happen when many new classes appear between two harvests.
     */
    private static final int LONGEST_PROBE = 512;

    /** A hidden class that finds no slot within this distance is not kept. */
    private static final int LONGEST_HIDDEN_PROBE = 32;

    /** The array for the initialiser of the next holder of sites, as for counters. */
    private static Class<?>[] nextTypes;

    private static long[] nextTypeCounts;

    /**
     * Set by the agent once the VM is initialised. Null until then; there is only one thread, and all classes are
     * boot classes.
     */
    private static Unsafe unsafe;

    /** The offset of the loader in a Class object; set with {@link #unsafe}. */
    private static long loaderOffset;

    /** The offset of the element class in the Class object of an array; set with {@link #unsafe}. */
    private static long componentOffset;

    /**
     * The offset of the elements in arrays; set with {@link #unsafe}. Unsafe's constants have another type from JDK
     * 25 on.
     */
    private static long typeBase;

    private static long typeScale;

    private static long longBase;

    private static ClassLoader platformLoader;

    private static ClassLoader applicationLoader;

    /**
     * The spill table's keys: dimensions, site plus one and identity hash (or STAYS) in one number; zero if the slot
     * is free.
     */
    private static final long[] spillKeys = new long[2 * spillSlots()];

    /** How often the site saw the class. */
    private static final long[] spillCounts = new long[2 * spillSlots()];

    /** The class of a slot, if the class stays. */
    private static final Class<?>[] spillTypes = new Class<?>[2 * spillSlots()];

    /** Slots in use, by half. */
    private static final int[] spillUsed = new int[2];

    /** Objects that found no slot, by site modulo length; never decreases. */
    private static final long[] lost = new long[spillSlots()];

    /** The first slot of the half that probes write to: 0 or lost.length. The agent changes it. */
    private static int spillHalf;

    /** Hidden classes that live as long as their loader, which stays until the program ends. */
    private static final Class<?>[] stayingHidden = new Class<?>[spillSlots() / 4];

    /**
     * Slots in a half of the spill table, a power of two up to 65536. The agent writes the number over this constant.
     */
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
     * Handles a class that is in neither of a site's first two rows. Not inlined: a few such sites would use up the
     * compiler's inlining budget, which the program's own calls need.
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
        // Before the VM is initialised, identity hashes are not available, so only the site is hashed.
        int hash = unsafe == null ? 0 : System.identityHashCode(type);
        int slot = slot(hash, site);
        long owner = (long) (site + 1) << 32;
        long key = spillKeys[slot];
        // A class that stays may have the same hash as one that does not: with class-data sharing, the hashes of
        // archived classes are the first numbers that the main thread generates, too.
        if (spillTypes[slot] == type ? key == (owner | STAYS) : key == (owner | hash) && !loaderStays(unsafe, type)) {
            spillCounts[slot]++;
        } else {
            first(types, counts, row, type, site, hash);
        }
    }

    /** The slot of a class at a site, unless another pair has taken it. */
    private static int slot(int hash, int site) {
        int mixed = hash * 0x2c1b3c6d + site * 0x297a2d39;
        return (mixed >>> 16 & lost.length - 1) + spillHalf;
    }

    /** Usually the first time that a site sees a class: takes a free row or a slot. */
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
     * An array class is identified by the hash of its element class and its number of dimensions, because the agent
     * does not see when it is created.
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

    /** Whether rows and slots may refer to a class until the program ends. */
    private static boolean mayStay(Class<?> type) {
        Unsafe u = unsafe;
        if (u == null) {
            return true;
        }
        if (!loaderStays(u, type)) {
            return false;
        }
        // An array class lives as long as its element class, which may be hidden. In a class that is not an array, the
        // JVM may use this field for something else.
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
     * The agent calls this, on any thread, for a hidden class that its loader keeps alive, before any other code can
     * see the class. Returns whether rows and slots may refer to it from now on.
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

    /** The class is null if the slot must not refer to it; then only the key identifies it. */
    private static void spill(Class<?> type, long key, int home, int site) {
        int slots = lost.length;
        int half = home & slots;
        int longest = unsafe == null || slots < LONGEST_PROBE ? slots : LONGEST_PROBE;
        for (int probe = 0; probe < longest; probe++) {
            int slot = (home + probe & slots - 1) + half;
            // Only the thread that claimed a slot writes its type. A thread that sees the slot before that uses another
            // one; the agent adds both up.
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
