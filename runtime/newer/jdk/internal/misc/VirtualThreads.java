package jdk.internal.misc;

/** For the compiler only: JDK 21 to 24 have it. */
public final class VirtualThreads {
    private VirtualThreads() {}

    public static void park() {}

    public static void park(long nanos) {}
}
