package java.lang;

import jdk.internal.vm.annotation.ForceInline;

/**
 * One chunk of counters: the array that probes increment.
 *
 * <p>This file is a template. The agent defines it unchanged for chunk 0, whose name must be fixed because classes that
 * load before JNI exists refer to it. For each further chunk N, it defines it under the name IprofCountersN.
 *
 * <p>Why a class for each chunk: C1 and C2 treat a static final array of an initialised class as a constant, so a probe
 * is a single increment of memory. With 32,768 counters in a chunk, an index is one sipush.
 *
 * <p>The static initialiser allocates only during start-up, where it may run as the first Java code of the VM. Later,
 * the agent allocates the array first and passes it in, so that the initialiser cannot run out of memory.
 */
public final class IprofCounters0 {
    /** Incremented by probes without synchronisation; read by the agent through JNI. */
    public static final long[] c = IprofRuntime.takeCounters();

    private IprofCounters0() {}

    /**
     * Increments a counter. The shorter probes of long methods call this. C1 and C2 always inline it, with any
     * limits, and generate the same code as for a probe that increments inline.
     */
    @ForceInline
    public static void hit(int counter) {
        c[counter]++;
    }

    /**
     * Counts a whole tableswitch: one counter for each key from low on, then one for all other values. It makes no
     * calls, because it may run as the first Java code of the VM.
     */
    @ForceInline
    public static void hitKey(int key, int low, int keys, int first) {
        int slot = key - low; // if this overflows, the result is out of range as well
        c[first + (slot >= 0 && slot < keys ? slot : keys)]++;
    }
}
