package jdk.internal.access;

/** What JDK 17 lacks of this interface, for the compiler only: JDK 21 and later have it. */
public interface JavaLangAccess {
    void parkVirtualThread();

    void parkVirtualThread(long nanos);
}
