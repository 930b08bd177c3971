package counting;

import counting.Expect.Tally;
import counting.Nodes.Node;
import java.lang.management.ManagementFactory;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Thousands of loaders, each dropped after its class was counted and was a receiver, a monitor and the operand of type
 * checks. Arguments: number of loaders, number of batches. After each batch it waits for the unloading and prints a
 * line "MARK loaders unloaded heap-KiB class-space-KiB resident-KiB".
 */
public final class Dropped {
  private static final String NAME = "counting.made.Dropped", INTERNAL = "counting/made/Dropped";

  private static int use(Node node) {
    int sum = node.value(); // @use
    synchronized (node) {
      sum++;
    }
    return node instanceof Comparable ? 0 : sum; // @check
  }

  private static int[] at = new int[3];

  private static byte[] bytes() {
    ByteCode b = new ByteCode(NAME, "java/lang/Object", "counting/Nodes$Node");
    b.constructor();
    ByteCode.Code value = b.code().op(0x2a);
    at[0] = value.invokeVirtual(INTERNAL, "other", "()I");
    b.method(0x0021, "value", "()I", 1, 1, value.op(0xac)); // synchronized
    b.method(0x0001, "other", "()I", 1, 1, b.code().op(8, 0xac)); // iconst_5
    ByteCode.Label no = new ByteCode.Label();
    ByteCode.Code check = b.code().op(0x2a);
    at[1] = check.typed(0xc1, INTERNAL);
    at[2] = check.jump(0x99, no);
    check.op(4, 0xac).bind(no).op(3, 0xac);
    b.method(0x0029, "check", "(Ljava/lang/Object;)I", 1, 1, check); // synchronized and static
    return b.finish();
  }

  private static long resident() throws Exception {
    for (String line : Files.readAllLines(Path.of("/proc/self/status"))) {
      if (line.startsWith("VmRSS:")) return Long.parseLong(line.replaceAll("[^0-9]", ""));
    }
    throw new AssertionError("no VmRSS");
  }

  private static long classSpace() {
    return ManagementFactory.getMemoryPoolMXBeans().stream()
        .filter(pool -> pool.getName().equals("Metaspace")).mapToLong(pool -> pool.getUsage().getUsed()).sum() / 1024;
  }

  /** Waits until nearly all loaders so far are unloaded; a collector may need more than one collection. */
  private static void mark(int loaders) throws Exception {
    long unloaded = 0;
    for (int i = 0; i < 60; i++) {
      System.gc();
      unloaded = ManagementFactory.getClassLoadingMXBean().getUnloadedClassCount();
      if (unloaded >= loaders - 1) break;
      Thread.sleep(500);
    }
    Runtime runtime = Runtime.getRuntime();
    long heap = (runtime.totalMemory() - runtime.freeMemory()) / 1024;
    System.out.println("MARK " + loaders + " " + unloaded + " " + heap + " " + classSpace() + " " + resident());
  }

  public static void main(String[] args) throws Exception {
    int loaders = Integer.parseInt(args[0]);
    int batch = loaders / Integer.parseInt(args[1]);
    byte[] bytes = bytes();
    long sum = 0;
    for (int i = 0; i < loaders; i++) {
      Class<?> made = new Generated.Loader().define(NAME, bytes);
      Node node = (Node) made.getConstructor().newInstance();
      sum += use(node);
      Method check = made.getMethod("check", Object.class);
      sum += (Integer) check.invoke(null, i % 4 == 0 ? "no" : node);
      if ((i + 1) % batch == 0) mark(i + 1);
    }
    System.out.println("sum " + sum);
    Expect e = new Expect(Dropped.class);
    int quarter = (loaders + 3) / 4;
    Tally all = new Tally().add(NAME, loaders);
    e.calls(NAME, "value()I", loaders);
    e.calls(NAME, "check(Ljava/lang/Object;)I", loaders);
    e.at(NAME, "check(Ljava/lang/Object;)I", at[2], quarter, loaders - quarter);
    e.receivers("use", all);
    e.checks("check", 0, all);
    e.receiversAt(NAME, "value()I", at[0], all);
    e.checksAt(NAME, "check(Ljava/lang/Object;)I", at[1],
        new Tally().add(NAME, loaders - quarter).add(String.class, quarter));
    e.monitors(new Tally().add(NAME, 2L * loaders).add(Class.class, loaders));
    Expect.print();
  }
}
