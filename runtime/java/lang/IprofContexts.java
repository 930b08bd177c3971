package java.lang;

import jdk.internal.vm.annotation.DontInline;
import jdk.internal.vm.annotation.ForceInline;

/**
 * Calls and branches at which a stack is taken now and then (contexts=all): probes call one of the methods here with the
 * operands of the instruction that follows.
 *
 * <p>The rules are those of {@link IprofRuntime}. A probe counts down a distance, which the agent draws at random each
 * time. Threads may lose each other's decrements; then a stack comes later.
 */
public final class IprofContexts {
    /** As many as numbers of sites. */
    private static final int SITES = 1024;

    /** How many executions of each site come before the one with a stack. */
    private static final int[] left = new int[SITES];

    /** Whether the native method can be called, and stacks are wanted; set by the agent. */
    private static boolean armed;

    private IprofContexts() {}

    /** Before a call, with its receiver; before ifnull and ifnonnull. */
    @ForceInline
    public static void object(Object object, int site) {
        if (--left[site] < 0) {
            due(object, null, 0, 0, site);
        }
    }

    /** Before if_acmpeq and if_acmpne. */
    @ForceInline
    public static void objects(Object first, Object second, int site) {
        if (--left[site] < 0) {
            due(first, second, 0, 0, site);
        }
    }

    /** Before a branch with one int, or a switch. */
    @ForceInline
    public static void number(int number, int site) {
        if (--left[site] < 0) {
            due(null, null, number, 0, site);
        }
    }

    /** Before a branch with two ints. */
    @ForceInline
    public static void numbers(int first, int second, int site) {
        if (--left[site] < 0) {
            due(null, null, first, second, site);
        }
    }

    /** Not inlined, because it is seldom called. */
    @DontInline
    private static void due(Object a, Object b, int first, int second, int site) {
        if (armed) {
            take(a, b, first, second, site);
        }
    }

    /** Takes a stack, and draws the next distance. */
    private static native void take(Object a, Object b, int first, int second, int site);
}
