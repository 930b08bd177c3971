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

  private ContextHits() {}

  /** Before a call. */
  public static void object(Object receiver, int site) {
    if (receiver != null) note(receiver.getClass(), site);
  }

  /** On an edge of a branch. */
  public static void edge(int site, int target) {
    note(Integer.toString(target), site);
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
