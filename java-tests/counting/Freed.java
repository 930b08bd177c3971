package counting;

import counting.Expect.Tally;
import counting.Nodes.Node;
import java.io.IOException;
import java.io.InputStream;
import java.lang.invoke.MethodHandles;
import java.lang.ref.WeakReference;
import java.lang.reflect.Array;
import java.util.ArrayList;
import java.util.List;

/**
 * Classes of every kind that a program can drop: classes in custom loaders, hidden classes, their arrays, their
 * lambdas. Each is a receiver, an operand of type checks and a monitor just before it is dropped. One full collection
 * then frees them all. Prints "FREED n of m", and the kinds that were not freed. If something was not, it prints what
 * two more collections freed: what these free was held for a moment only, the rest is held by something that lasts.
 * Arguments: how many of each, and how many milliseconds to wait afterwards.
 */
public final class Freed {
  /** Loaded by custom loaders from its bytes, not by name. */
  public static final class Plugin implements Node {
    private static final byte[] CACHE = new byte[1 << 16];

    @Override
    public int value() {
      Node lambda = () -> CACHE.length;
      return use(lambda) + array(new Plugin[1]) + array(new Plugin[1][1]);
    }
  }

  /** Defined as a hidden class, from its bytes. */
  public static final class Hid implements Node {
    @Override
    public int value() {
      return 1;
    }
  }

  private static final class Child extends ClassLoader {
    private final byte[] bytes;

    Child(byte[] bytes) {
      super(Freed.class.getClassLoader());
      this.bytes = bytes;
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
      if (!name.equals(Plugin.class.getName())) return super.loadClass(name, resolve);
      Class<?> known = findLoadedClass(name);
      return known != null ? known : defineClass(name, bytes, 0, bytes.length);
    }
  }

  /** The system loader of a run with -Djava.system.class.loader. */
  public static final class AsSystem extends ClassLoader {
    public AsSystem(ClassLoader parent) {
      super(parent);
    }
  }

  private static int plugin(Node node) {
    return node.value(); // @plugin
  }

  private static int hidden(Node node) {
    return node.value(); // @hidden
  }

  public static int use(Node node) {
    synchronized (node) {
      return node.value() + (node instanceof Comparable ? 1 : 0);
    }
  }

  public static int array(Object array) {
    synchronized (array) {
      return array.hashCode() == 0 ? 1 : 0;
    }
  }

  private static byte[] bytes(Class<?> type) throws IOException {
    try (InputStream in = type.getResourceAsStream(type.getName().substring(type.getPackageName().length() + 1) + ".class")) {
      return in.readAllBytes();
    }
  }

  private record Dropped(String what, WeakReference<Object> reference) {}

  private static final List<Dropped> dropped = new ArrayList<>();

  private static void drop(String what, Object object) {
    dropped.add(new Dropped(what, new WeakReference<>(object)));
  }

  private static long pluginLoader(byte[] bytes, Tally tally) throws ReflectiveOperationException {
    Child loader = new Child(bytes);
    Class<?> type = loader.loadClass(Plugin.class.getName());
    drop("loader", loader);
    drop("class of a loader", type);
    Node node = (Node) type.getConstructor().newInstance();
    tally.add(node);
    return plugin(node) + array(Array.newInstance(type, 1));
  }

  private static long hiddenClass(byte[] bytes, boolean strong) throws ReflectiveOperationException {
    MethodHandles.Lookup here = MethodHandles.lookup();
    Class<?> type = (strong ? here.defineHiddenClass(bytes, true, MethodHandles.Lookup.ClassOption.STRONG)
        : here.defineHiddenClass(bytes, true)).lookupClass();
    if (!strong) drop("hidden class", type);
    Object array = Array.newInstance(type, 1);
    if (!strong) drop("array of a hidden class", array.getClass());
    Node node = (Node) type.getConstructor().newInstance();
    return hidden(node) + use(node) + array(array) + array(Array.newInstance(type, 1, 1));
  }

  private static long all(int n, Tally tally) throws IOException, ReflectiveOperationException {
    byte[] plugin = bytes(Plugin.class), hid = bytes(Hid.class);
    long sum = 0;
    for (int i = 0; i < n; i++) {
      sum += pluginLoader(plugin, tally) + hiddenClass(hid, false);
      if (i % 10 == 0) sum += hiddenClass(hid, true);
    }
    return sum;
  }

  /** How many are left after a full collection. */
  private static long collect(String held) {
    System.gc();
    long left = 0;
    for (Dropped d : dropped) {
      if (d.reference.refersTo(null)) continue;
      if (left++ < 5) System.out.println(held + " " + d.what);
    }
    return left;
  }

  public static void main(String[] args) throws Exception {
    Tally tally = new Tally();
    System.out.println("sum " + (all(Integer.parseInt(args[0]), tally) > 0));
    long left = collect("HELD");
    System.out.println("FREED " + (dropped.size() - left) + " of " + dropped.size());
    for (int again = 1; left > 0 && again <= 2; again++) {
      Thread.sleep(200);
      left = collect("STILL HELD");
      System.out.println("FREED " + (dropped.size() - left) + " of " + dropped.size() + " by " + (again + 1) + " collections");
    }
    if (args.length > 1) Thread.sleep(Long.parseLong(args[1]));
    new Expect(Freed.class).receivers("plugin", tally);
    Expect.print();
  }

  private Freed() {}
}
