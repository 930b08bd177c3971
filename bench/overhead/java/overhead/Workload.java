package overhead;

/** One operation, repeated: does the same work each time and gives a number that depends on all of it. */
interface Workload {
  long run() throws Exception;

  /** Ends what would keep the JVM alive. */
  default void close() {}
}
