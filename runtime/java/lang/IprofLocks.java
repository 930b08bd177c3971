package java.lang;

import jdk.internal.access.JavaLangAccess;
import jdk.internal.misc.Unsafe;
import jdk.internal.misc.VirtualThreads;

/**
 * What LockSupport calls while waits for locks are recorded (lock=): the method that it would call to park the thread, and,
 * if that took long, a native method of the agent.
 *
 * <p>Rules: nothing here blocks or throws where the method in its place would not. A StackOverflowError before it is one
 * that it could have thrown itself, and what finds no room on the stack after it is not recorded. The agent never
 * instruments this class.
 */
public final class IprofLocks {
    /** Of threads that park; as many of threads that wait for a monitor. */
    private static final int SLOTS = 64;

    /** In ns. The agent sets it: Long.MAX_VALUE if no wait is recorded, or if the native method cannot be called yet. */
    private static long threshold = Long.MAX_VALUE;

    /**
     * Some of those that wait now: threads that park, and then the monitors that others wait for, which the agent writes.
     * The agent's thread looks at one of them now and then, and leaves the number of its owner's stack. Threads take a
     * slot from each other; then there is no owner.
     */
    private static final Object[] waiting = new Object[2 * SLOTS];

    private static final int[] owners = new int[2 * SLOTS];

    private IprofLocks() {}

    /** Platform threads. */
    public static void park(Unsafe unsafe, boolean isAbsolute, long time) {
        int slot = enter();
        long begin = System.nanoTime();
        unsafe.park(isAbsolute, time);
        try {
            leave(slot, begin);
        } catch (StackOverflowError noRoom) {
            return;
        }
    }

    /** Virtual threads, in a JDK that parks them so: from 21 on. */
    public static void park() {
        int slot = enter();
        long begin = System.nanoTime();
        VirtualThreads.park();
        try {
            leave(slot, begin);
        } catch (StackOverflowError noRoom) {
            return;
        }
    }

    public static void park(long nanos) {
        int slot = enter();
        long begin = System.nanoTime();
        VirtualThreads.park(nanos);
        try {
            leave(slot, begin);
        } catch (StackOverflowError noRoom) {
            return;
        }
    }

    /** Later JDKs. */
    public static void park(JavaLangAccess access) {
        int slot = enter();
        long begin = System.nanoTime();
        access.parkVirtualThread();
        try {
            leave(slot, begin);
        } catch (StackOverflowError noRoom) {
            return;
        }
    }

    public static void park(JavaLangAccess access, long nanos) {
        int slot = enter();
        long begin = System.nanoTime();
        access.parkVirtualThread(nanos);
        try {
            leave(slot, begin);
        } catch (StackOverflowError noRoom) {
            return;
        }
    }

    private static int enter() {
        Thread thread = Thread.currentThread();
        int slot = System.identityHashCode(thread) & SLOTS - 1;
        owners[slot] = -1;
        waiting[slot] = thread;
        return slot;
    }

    private static void leave(int slot, long begin) {
        long ns = System.nanoTime() - begin;
        int owner = -1;
        if (waiting[slot] == Thread.currentThread()) {
            owner = owners[slot];
            waiting[slot] = null;
        }
        if (ns >= threshold) {
            waited(ns, owner);
        }
    }

    /** Records the wait, if the thread's blocker is a lock. The number of its owner's stack: -1 if that is not known. */
    private static native void waited(long ns, int owner);
}
