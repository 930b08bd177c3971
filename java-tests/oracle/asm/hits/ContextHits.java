package oracle.hits;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;

/** What calls and branches did, by caller, on the boot class path, so that every class can access it. */
public final class ContextHits {
  private static final int CALLERS = 8;
  private static final StackWalker WALKER = StackWalker.getInstance(StackWalker.Option.RETAIN_CLASS_REFERENCE);
  private static final Map<List<Object>, long[]> COUNTS = new HashMap<>();
  private static int mean = 1;
  private static int left;
  private static long random = 0x9e3779b97f4a7c15L;

  private ContextHits() {}

  /** Only one of so many executions from now on, at random distances. Threads that race change the distances, and no more. */
  public static void setMean(int executions) {
    mean = executions;
  }

  private static boolean isLeftOut() {
    if (mean == 1) return false;
    if (--left > 0) return true;
    random ^= random << 13;
    random ^= random >>> 7;
    random ^= random << 17;
    left = 1 + (int) ((random >>> 33) % (2L * mean - 1));
    return false;
  }

  /** Before a call. */
  public static void object(Object receiver, int site) {
    if (!isLeftOut() && receiver != null) note(receiver.getClass(), site);
  }

  /** On an edge of a branch. */
  public static void edge(int site, int target) {
    if (!isLeftOut()) note(Integer.toString(target), site);
  }

  /** With what is executed meanwhile left out: walking a stack runs code of the JDK, which may be watched, too. */
  private static void note(Object outcome, int site) {
    if (Thread.holdsLock(COUNTS)) return;
    synchronized (COUNTS) {
      List<Object> key = new ArrayList<>(CALLERS + 2);
      key.add(site);
      key.add(outcome);
      WALKER.walk(frames -> {
        Iterator<StackWalker.StackFrame> frame = frames.iterator();
        for (int i = 0; i < 3; ++i) frame.next(); // this method, the one before it, and the watched one
        for (int i = 0; i < CALLERS && frame.hasNext(); ++i) {
          StackWalker.StackFrame caller = frame.next();
          key.add(caller.getClassName() + "." + caller.getMethodName() + caller.getDescriptor() + ":" + caller.getByteCodeIndex());
        }
        return null;
      });
      ++COUNTS.computeIfAbsent(key, k -> new long[1])[0];
    }
  }

  /** Calls with the site, the outcome and the callers, and how often that was. */
  public static void each(BiConsumer<List<Object>, Long> use) {
    synchronized (COUNTS) {
      COUNTS.forEach((key, count) -> use.accept(key, count[0]));
    }
  }
}
