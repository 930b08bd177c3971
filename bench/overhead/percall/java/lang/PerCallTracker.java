package java.lang;

/** The native methods that the probes of the per-call agent call. */
public final class PerCallTracker {
  public static native void entered(int method);

  public static native void left(int method);

  private PerCallTracker() {}
}
