package counting;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CountDownLatch;

/**
 * Class loaders that know a few names and, when asked for any other, refuse, throw, block and so on. Their classes
 * run as they do without the agent, and are counted. No loader is asked for a name for which it is not asked without
 * the agent.
 *
 * <p>Arguments: runs of each class before and after the attach. With "wait", the program prints "ready" in between and
 * waits for a line; then the runs before are not counted.
 */
public final class Guarded {
  /** What a loader does with a name that it does not know. */
  enum Unknown {
    REFUSES, THROWS, THROWS_ERROR, OVERFLOWS, GIVES_NULL, GIVES_WRONG, BLOCKS, IS_SLOW, DELEGATES
  }

  private static final Set<String> KNOWN = Set.of("java.lang.Object", "java.lang.Runnable");

  /** Which names each kind of loader was asked for. */
  private static final TreeMap<String, Set<String>> ASKED = new TreeMap<>();

  static class Loader extends ClassLoader {
    private final Unknown unknown;
    private final String what;

    Loader(Unknown unknown, String what) {
      super(null);
      this.unknown = unknown;
      this.what = what;
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
      synchronized (ASKED) {
        ASKED.computeIfAbsent(what, k -> new TreeSet<>()).add(name);
      }
      if (name.startsWith("counting.Guarded")) return define(name);
      return knows(name) ? Class.forName(name, false, null) : notKnown(name);
    }

    boolean knows(String name) {
      return KNOWN.contains(name);
    }

    private Class<?> define(String name) throws ClassNotFoundException {
      synchronized (getClassLoadingLock(name)) {
        Class<?> known = findLoadedClass(name);
        if (known != null) return known;
        byte[] bytes = bytesOf(name);
        return defineClass(name, bytes, 0, bytes.length);
      }
    }

    byte[] bytesOf(String name) throws ClassNotFoundException {
      try (InputStream in = Guarded.class.getResourceAsStream("/" + name.replace('.', '/') + ".class")) {
        return in.readAllBytes();
      } catch (IOException e) {
        throw new ClassNotFoundException(name, e);
      }
    }

    private Class<?> notKnown(String name) throws ClassNotFoundException {
      switch (unknown) {
        case THROWS:
          throw new IllegalStateException("asked for " + name);
        case THROWS_ERROR:
          throw new LinkageError("asked for " + name);
        case OVERFLOWS:
          return notKnown(name);
        case GIVES_NULL:
          return null;
        case GIVES_WRONG:
          return String.class;
        case BLOCKS:
          block();
          throw new ClassNotFoundException(name);
        case IS_SLOW:
          try {
            Thread.sleep(200);
          } catch (InterruptedException e) {
            throw new ClassNotFoundException(name, e);
          }
          return Class.forName(name, false, null);
        case DELEGATES:
          return Class.forName(name, false, null);
        default:
          throw new ClassNotFoundException("not allowed: " + name);
      }
    }

    private synchronized void block() {
      try {
        new CountDownLatch(1).await();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** HotSpot does not lock it while it defines classes. */
  static final class ParallelLoader extends Loader {
    static {
      registerAsParallelCapable();
    }

    ParallelLoader(Unknown unknown, String what) {
      super(unknown, what);
    }
  }

  /** Knows the JDK, except for names and packages that have to do with the agent. */
  static class JdkLoader extends Loader {
    JdkLoader(Unknown unknown, String what) {
      super(unknown, what);
    }

    @Override
    boolean knows(String name) {
      return (name.startsWith("java.") || name.startsWith("jdk.")) && !name.contains("Iprof");
    }
  }

  /** Writes the names of the agent's members into GuardedField. */
  static final class RenamingLoader extends JdkLoader {
    RenamingLoader() {
      super(Unknown.REFUSES, "renaming");
    }

    @Override
    byte[] bytesOf(String name) throws ClassNotFoundException {
      String text = new String(super.bytesOf(name), StandardCharsets.ISO_8859_1);
      return text.replace("iprof_", "iprof$").getBytes(StandardCharsets.ISO_8859_1);
    }
  }

  /** Makes its classes ones of Java 1.4, as compilers of that time wrote them. */
  static final class OldLoader extends JdkLoader {
    private static final byte JAVA_1_4 = 48;

    OldLoader() {
      super(Unknown.REFUSES, "old");
    }

    @Override
    byte[] bytesOf(String name) throws ClassNotFoundException {
      byte[] bytes = super.bytesOf(name);
      bytes[7] = JAVA_1_4;
      return bytes;
    }
  }

  private static Runnable make(ClassLoader loader, String name) throws Exception {
    return (Runnable) loader.loadClass("counting." + name).getDeclaredConstructor().newInstance();
  }

  private static void make(List<Runnable> tasks, List<Runnable> lambdas, List<Runnable> old) throws Exception {
    for (Unknown unknown : Unknown.values()) {
      tasks.add(make(new Loader(unknown, unknown + " serial"), "GuardedTask"));
      tasks.add(make(new ParallelLoader(unknown, unknown + " parallel"), "GuardedTask"));
      lambdas.add(make(new JdkLoader(unknown, unknown + " lambdas"), "GuardedLambda"));
    }
    old.add(make(new OldLoader(), "GuardedOld"));
  }

  private static void run(List<Runnable> all, int runs) {
    for (Runnable one : all) {
      for (int i = 0; i < runs; i++) one.run();
    }
  }

  /** The expected counts of this many runs of GuardedOld, which itself cannot refer to its class. */
  private static void expectOld(int runs) {
    String old = "counting.GuardedOld";
    String doubling = "counting.GuardedOld$Doubling";
    Expect e = new Expect(GuardedOld.class);
    e.calls("run()V", runs);
    e.calls("step(I)I", 5 * runs);
    e.calls(doubling, "step(I)I", 5 * runs);
    e.branch("old.loop", runs, 10 * runs);
    e.branch("old.three", 9 * runs, runs);
    e.receivers("old.call", new Expect.Tally().add(old, 5 * runs).add(doubling, 5 * runs));
  }

  public static void main(String[] args) throws Exception {
    int before = Integer.parseInt(args[0]);
    int after = Integer.parseInt(args[1]);
    boolean waits = args.length > 2 && args[2].equals("wait");
    List<Runnable> tasks = new ArrayList<>();
    List<Runnable> lambdas = new ArrayList<>();
    List<Runnable> old = new ArrayList<>();
    make(tasks, lambdas, old);
    int loaders = tasks.size();
    run(tasks, before);
    run(lambdas, before);
    run(old, before);
    if (waits) {
      System.out.println("ready");
      System.in.read();
    }
    make(tasks, lambdas, old);
    run(tasks, after);
    run(lambdas, after);
    run(old, after);
    ClassLoader renaming = new RenamingLoader();
    make(renaming, "GuardedField").run();
    make(renaming, "GuardedField$Sub").run();
    ASKED.forEach((what, names) -> System.out.println(what + " " + names));
    int counted = loaders * (waits ? 0 : before) + 2 * loaders * after;
    GuardedTask.expect(counted);
    expectOld((waits ? 0 : before) + 2 * after);
    if (!waits) GuardedLambda.expect(counted / 2);
    Expect.print();
  }
}
