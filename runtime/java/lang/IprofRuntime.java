package java.lang;

/**
 * The methods that probes call in the JVM, other than plain increments.
 *
 * <p>Rules: nothing here may throw, block, or call an instrumented method (native methods have no bytecode, so they are
 * safe). Everything must work as the first Java code of the VM, before any class of java.base is initialised. The agent
 * never instruments this class.
 */
public final class IprofRuntime {
    /**
     * Number of stripes minus one, set by the agent once the VM is initialised. Zero until then, because
     * Thread.currentThread cannot be linked before java.lang.Thread has registered its native methods; start-up has
     * only one thread anyway.
     */
    static int stripeMask;

    /** The array for the next holder's initialiser; the agent's thread sets and uses it. */
    private static long[] nextCounters;

    private static long[][] nextRows;

    private IprofRuntime() {}

    static long[] takeCounters() {
        long[] given = nextCounters;
        nextCounters = null;
        return given != null ? given : new long[32768];
    }

    static long[][] takeRows(int stripes) {
        long[][] given = nextRows;
        nextRows = null;
        if (given != null) {
            return given;
        }
        long[][] made = new long[stripes][];
        for (int i = 0; i < stripes; i++) {
            made[i] = new long[32768];
        }
        return made;
    }

    static int stripe() {
        int mask = stripeMask;
        return mask == 0 ? 0 : System.identityHashCode(Thread.currentThread()) & mask;
    }
}
