package sampling;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.invoke.MethodHandles;
import java.lang.reflect.InvocationTargetException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongUnaryOperator;

/** Everything that is hard on a sampler, at once, for so many seconds of wall time. */
public final class Chaos {
  /** Public: classes of other loaders count in it. */
  public static final AtomicLong DONE = new AtomicLong();
  private static volatile boolean stop;
  private static volatile Object garbage;

  /** Loaded again and again, by loaders that are dropped, and as a hidden class. */
  public static final class Victim implements Runnable {
    @Override
    public void run() {
      long x = System.identityHashCode(this);
      for (int i = 0; i < 20_000; i++) {
        x = x * 31 + i;
      }
      DONE.addAndGet(x == 0 ? 2 : 1);
    }
  }

  private static byte[] victimBytes() {
    try (InputStream in = Chaos.class.getResourceAsStream("Chaos$Victim.class")) {
      return in.readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static final class Loader extends ClassLoader {
    Class<?> define(byte[] bytes) {
      return defineClass("sampling.Chaos$Victim", bytes, 0, bytes.length);
    }
  }

  static void classes() throws Exception {
    byte[] bytes = victimBytes();
    MethodHandles.Lookup lookup = MethodHandles.lookup();
    while (!stop) {

      ((Runnable) new Loader().define(bytes).getDeclaredConstructor().newInstance()).run();
      Object hidden = lookup.defineHiddenClass(bytes, true).lookupClass().getDeclaredConstructor().newInstance();
      ((Runnable) hidden).run();
    }
  }

  static long recurse(long depth) {
    return depth == 0 ? 0 : 1 + recurse(depth - 1);
  }

  static void stacks() {
    while (!stop) {
      try {
        DONE.addAndGet(recurse(1L << 40));
      } catch (StackOverflowError expected) {
        DONE.incrementAndGet();
      }
    }
  }

  static void exceptions() {
    while (!stop) {
      try {
        fail(20);
      } catch (IllegalStateException expected) {
        DONE.incrementAndGet();
      }
    }
  }

  private static void fail(int depth) {
    if (depth == 0) {
      throw new IllegalStateException();
    }
    fail(depth - 1);
  }

  // Each operator that comes new makes compiled code that trusted the earlier ones wrong.
  static void deoptimisation() {
    long x = 1;
    for (int round = 0; !stop; round++) {
      int by = round;
      LongUnaryOperator operator = round % 3 == 0 ? v -> v + by : round % 3 == 1 ? v -> v ^ by : v -> v * 31;
      for (int i = 0; i < 30_000; i++) {
        x = operator.applyAsLong(x);
      }
      DONE.addAndGet(x == 0 ? 2 : 1);
    }
  }

  static void allocation() {
    while (!stop) {
      List<byte[]> list = new ArrayList<>();
      for (int i = 0; i < 1_000; i++) {
        list.add(new byte[i % 500]);
      }
      garbage = list;
      DONE.incrementAndGet();
    }
  }

  static void threads() throws InterruptedException {
    while (!stop) {
      Thread[] all = new Thread[8];
      for (int i = 0; i < all.length; i++) {
        all[i] = new Thread(new Victim());
        all[i].start();
      }
      for (Thread thread : all) {
        thread.join();
      }
    }
  }

  static void virtualThreads() throws ReflectiveOperationException, InterruptedException {
    java.lang.reflect.Method start;
    try {
      start = Thread.class.getMethod("startVirtualThread", Runnable.class);
      start.invoke(null, (Runnable) () -> { });
    } catch (NoSuchMethodException | InvocationTargetException none) {
      return; // before 21
    }
    while (!stop) {
      Thread[] all = new Thread[50];
      for (int i = 0; i < all.length; i++) {
        all[i] = (Thread) start.invoke(null, (Runnable) () -> {
          new Victim().run();
          Thread.yield();
          new Victim().run();
        });
      }
      for (Thread thread : all) {
        thread.join();
      }
    }
  }

  private interface Body {
    void run() throws Exception;
  }

  public static void main(String[] args) throws InterruptedException {
    Body[] bodies = {Chaos::classes, Chaos::stacks, Chaos::exceptions, Chaos::deoptimisation, Chaos::allocation,
        Chaos::threads, Chaos::virtualThreads};
    List<Throwable> failures = new ArrayList<>();
    List<Thread> threads = new ArrayList<>();
    for (Body body : bodies) {
      Thread thread = new Thread(() -> {
        try {
          body.run();
        } catch (Throwable failure) {
          synchronized (failures) {
            failures.add(failure);
          }
        }
      });
      thread.start();
      threads.add(thread);
    }
    Thread.sleep(Long.parseLong(args[0]) * 1_000);
    stop = true;
    for (Thread thread : threads) {
      thread.join();
    }
    failures.forEach(Throwable::printStackTrace);
    System.out.println(failures.isEmpty() && DONE.get() > 0 ? "survived" : "failed");
  }
}
