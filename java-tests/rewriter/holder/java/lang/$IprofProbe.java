package java.lang;

/**
 * The counters of classrewrite's probes. It is in java.base, like the agent's class, so that every class can access it.
 */
public final class $IprofProbe {
  public static final long[] c = new long[32768];

  private $IprofProbe() {}
}
