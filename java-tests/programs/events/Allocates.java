package events;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Scanner;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * Allocates known numbers of objects of known sizes at known places in known threads, and prints them:
 * "truth SITE CLASS THREAD BYTES OBJECTS" and, of what it keeps, "kept CLASS BYTES OBJECTS". The arguments are "once", KiB
 * for each site and thread, and "waits" if it reads a line before it allocates; or "keeps" and KiB for each kept site; or
 * "endless", which goes on in several threads until its input ends. After "once" and "keeps" it says "ready" and reads to the
 * end of its input.
 */
public final class Allocates {
  private static final int SMALL_BYTES = 48; // a header of 12 bytes, and four longs at multiples of 8
  private static final int KEPT_OF_OBJECTS = 4;
  private static final int KEPT_OF_ARRAYS = 2;

  /** An object that only this program has. */
  private static final class Small {
    long a;
    long b;
    long c;
    long d;
  }

  /** The same, of which some are kept. */
  private static final class Kept {
    long a;
    long b;
    long c;
    long d;
  }

  private interface Site {
    void allocate(int times);
  }

  private static volatile Object sink;
  private static final List<Object> KEPT = new ArrayList<>();
  private static final Map<String, long[]> TRUTH = new TreeMap<>();

  static void small(int times) {
    for (int i = 0; i < times; i++) {
      sink = new Small();
    }
  }

  static void bytes(int times) {
    for (int i = 0; i < times; i++) {
      sink = new byte[1_000];
    }
  }

  static void ints(int times) {
    for (int i = 0; i < times; i++) {
      sink = new int[25];
    }
  }

  static void large(int times) {
    for (int i = 0; i < times; i++) {
      sink = new byte[1 << 20];
    }
  }

  static void copies(int times) {
    long[] original = new long[50];
    for (int i = 0; i < times; i++) {
      sink = Arrays.copyOf(original, 50);
    }
  }

  static void keptObjects(int times) {
    for (int i = 0; i < times; i++) {
      Kept made = new Kept();
      sink = made;
      if (i % KEPT_OF_OBJECTS == 0) {
        KEPT.add(made);
      }
    }
  }

  static void keptArrays(int times) {
    for (int i = 0; i < times; i++) {
      short[] made = new short[2_000];
      sink = made;
      if (i % KEPT_OF_ARRAYS == 0) {
        KEPT.add(made);
      }
    }
  }

  /** Runs a site for so many KiB, and notes what that is. */
  private static void run(String name, String type, int bytes, Site site, String thread, int kib) {
    int times = Math.max(1, (int) ((long) kib * 1024 / bytes));
    site.allocate(times);
    synchronized (TRUTH) {
      long[] sums = TRUTH.computeIfAbsent(name + " " + type + " " + thread, key -> new long[2]);
      sums[0] += (long) times * bytes;
      sums[1] += times;
    }
  }

  private static void allSites(String thread, int kib) {
    run("small", "events.Allocates$Small", SMALL_BYTES, Allocates::small, thread, kib);
    run("bytes", "[B", 1_016, Allocates::bytes, thread, kib);
    run("ints", "[I", 120, Allocates::ints, thread, kib);
    run("large", "[B", (1 << 20) + 16, Allocates::large, thread, kib);
    run("copies", "[J", 416, Allocates::copies, thread, kib);
  }

  private static Thread startVirtual(Runnable body) throws ReflectiveOperationException {
    return (Thread) Thread.class.getMethod("startVirtualThread", Runnable.class).invoke(null, body);
  }

  private static boolean hasVirtualThreads() {
    return Runtime.version().feature() >= 21;
  }

  private static void once(int kib) throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(2);
    List<Future<?>> tasks = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      tasks.add(threads.submit(() -> allSites("pool-*-thread-*", kib / 2)));
    }
    for (Future<?> task : tasks) {
      task.get();
    }
    threads.shutdown();
    allSites("main", kib);
    if (hasVirtualThreads()) {
      List<Thread> virtual = new ArrayList<>();
      for (int i = 0; i < 8; i++) {
        virtual.add(startVirtual(() -> allSites("(no_name)", kib / 8)));
      }
      for (Thread one : virtual) {
        one.join();
      }
    }
    TRUTH.forEach((key, sums) -> System.out.printf(Locale.ROOT, "truth %s %d %d%n", key, sums[0], sums[1]));
  }

  private static void keep(int kib) throws InterruptedException {
    int objects = kib * 1024 / SMALL_BYTES;
    int arrays = kib * 1024 / 4_016;
    keptObjects(objects);
    keptArrays(arrays);
    sink = null;
    for (int i = 0; i < 3; i++) {
      System.gc();
      Thread.sleep(100); // a collector that works beside the program may clear references later
    }
    long keptObjects = (objects + KEPT_OF_OBJECTS - 1) / KEPT_OF_OBJECTS;
    long keptArrays = (arrays + KEPT_OF_ARRAYS - 1) / KEPT_OF_ARRAYS;
    System.out.printf(Locale.ROOT, "kept events.Allocates$Kept %d %d%n", keptObjects * SMALL_BYTES, keptObjects);
    System.out.printf(Locale.ROOT, "kept [S %d %d%n", keptArrays * 4_016, keptArrays);
  }

  private static void descend(int frames, int kib) {
    if (frames > 0) {
      descend(frames - 1, kib);
    } else {
      allSites("endless", kib);
    }
  }

  private static void endless() throws Exception {
    for (int i = 0; i < 3; i++) {
      int number = i;
      Thread thread = new Thread(() -> {
        for (int round = 0;; round++) {
          descend(round % 100 * (number + 1), 256);
          if (round % 64 == 0) {
            synchronized (TRUTH) {
              KEPT.clear();
            }
          } else if (round % 8 == 0) {
            synchronized (TRUTH) {
              keptObjects(500);
            }
          }
        }
      }, "endless-" + number);
      thread.setDaemon(true);
      thread.start();
    }
    if (hasVirtualThreads()) {
      Thread starter = new Thread(() -> {
        try {
          while (true) {
            startVirtual(() -> descend(5, 16)).join();
          }
        } catch (ReflectiveOperationException | InterruptedException e) {
          throw new IllegalStateException(e);
        }
      }, "starter");
      starter.setDaemon(true);
      starter.start();
    }
  }

  public static void main(String[] args) throws Exception {
    Scanner input = new Scanner(System.in);
    if (args.length > 2) {
      System.out.println("waits");
      input.nextLine();
    }
    switch (args[0]) {
      case "once" -> once(Integer.parseInt(args[1]));
      case "keeps" -> keep(Integer.parseInt(args[1]));
      default -> endless();
    }
    System.out.println("ready");
    while (input.hasNextLine()) {
      input.nextLine();
    }
    System.out.println("done, kept " + KEPT.size());
  }
}
