package java.lang;

/**
 * What probes call inside the JVM, apart from plain increments.
 *
 * <p>Rules: nothing here may throw, block, or call a method that is itself instrumented (native methods have no body and
 * so are safe); everything must work as the first Java code of the VM, before any class of java.base is initialised. The
 * agent never instruments this class.
 */
public final class IprofRuntime {
    /**
     * Number of stripes minus one, set by the agent once the VM is initialised. Zero until then: Thread.currentThread
     * cannot be linked before java.lang.Thread has registered its natives, and start-up has one thread anyway.
     */
    private static int stripeMask;

    private IprofRuntime() {}

    static int stripe() {
        int mask = stripeMask;
        return mask == 0 ? 0 : System.identityHashCode(Thread.currentThread()) & mask;
    }
}
