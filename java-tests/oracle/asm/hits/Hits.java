package oracle.hits;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLongArray;

/** The oracle's counters, on the boot class path, so that every class can access them. */
public final class Hits {
  private static final int CHUNK = 1 << 16;
  private static final AtomicLongArray[] CHUNKS = new AtomicLongArray[256];
  private static final AtomicInteger USED = new AtomicInteger();

  private Hits() {}

  /** A new counter. */
  public static int next() {
    int counter = USED.getAndIncrement();
    synchronized (CHUNKS) {
      if (CHUNKS[counter / CHUNK] == null) CHUNKS[counter / CHUNK] = new AtomicLongArray(CHUNK);
    }
    return counter;
  }

  public static void hit(int counter) {
    CHUNKS[counter / CHUNK].getAndIncrement(counter % CHUNK);
  }

  public static long get(int counter) {
    return CHUNKS[counter / CHUNK].get(counter % CHUNK);
  }
}
