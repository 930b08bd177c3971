package java.lang;

import jdk.internal.vm.annotation.ForceInline;

/**
 * One chunk of counters: the array that probes increment.
 *
 * <p>This file is a template. The agent defines it as it stands for chunk 0, whose name must be fixed because classes
 * that load before JNI exists refer to it, and once more for each further chunk under the name IprofCountersN.
 *
 * <p>Why a class for each chunk: a static final array of an initialised class is a constant to C1 and C2, so that a
 * probe is a single increment of memory; and with 32,768 counters in a chunk an index is one sipush.
 *
 * <p>The static initialiser allocates only during start-up, where it may run as the first Java code of the VM. Later the
 * agent allocates first and hands the array over, so that the initialiser cannot fail for want of memory.
 */
public final class IprofCounters0 {
    /** Incremented by probes without synchronisation; read by the agent through JNI. */
    public static final long[] c = IprofRuntime.takeCounters();

    private IprofCounters0() {}

    /**
     * Increments a counter: what the shorter probes of long methods call. C1 and C2 inline it whatever their limits, and
     * make the same code of it as of a probe that increments by itself.
     */
    @ForceInline
    public static void hit(int counter) {
        c[counter]++;
    }

    /**
     * Counts a whole tableswitch: one counter for each key from low on, then one for all other values. Without calls: this may
     * run as the first Java code of the VM.
     */
    @ForceInline
    public static void hitKey(int key, int low, int keys, int first) {
        int slot = key - low; // where this overflows, it is out of range all the same
        c[first + (slot >= 0 && slot < keys ? slot : keys)]++;
    }
}
