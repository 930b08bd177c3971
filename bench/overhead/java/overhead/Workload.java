package overhead;

/** An operation that is repeated: does the same work each time, and returns a number that depends on all of it. */
interface Workload {
  long run() throws Exception;

  /** Ends everything that would keep the JVM alive. */
  default void close() {}
}
