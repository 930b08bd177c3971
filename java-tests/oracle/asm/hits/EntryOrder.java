package oracle.hits;

import java.lang.invoke.MethodHandles;
import java.util.concurrent.atomic.AtomicInteger;

/** The order in which dynamic constants at the entries of methods were resolved. */
public final class EntryOrder {
  private static final AtomicInteger next = new AtomicInteger();

  private EntryOrder() {}

  public static int entered(MethodHandles.Lookup lookup, String name, Class<?> type) {
    return next.incrementAndGet();
  }
}
