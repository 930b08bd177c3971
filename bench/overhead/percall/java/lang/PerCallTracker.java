package java.lang;

/** What the per-call agent's probes call: natives of the agent. */
public final class PerCallTracker {
  public static native void entered(int method);

  public static native void left(int method);

  private PerCallTracker() {}
}
