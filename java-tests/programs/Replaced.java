import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/**
 * Spends its time in methods that an image replaces, and in methods that reflection and class loading call. Argument: how
 * often the loop of the method that reflection calls runs.
 */
public final class Replaced {
  private static long sink;

  public static void called(int times) {
    for (int i = 0; i < times; i++) sink = sink * 31 + Integer.toString(i).hashCode();
  }

  private static void names(int times) {
    List<Class<?>> classes = new ArrayList<>();
    for (Object o : new Object[] {"", 1, 2L, 'c', 1.0, new int[0], new String[0][]}) classes.add(o.getClass());
    for (int i = 0; i < times; i++) {
      Class<?> c = classes.get(i % classes.size());
      sink += c.getName().length() + c.getSimpleName().length() + (c.isInstance(i % 2 == 0 ? "" : c) ? 1 : 0);
    }
  }

  private static void threads(int times) throws InterruptedException {
    for (int i = 0; i < times; i++) {
      Thread thread = new Thread(() -> sink++, "worker" + i);
      thread.start();
      thread.join();
    }
  }

  public static void main(String[] args) throws Exception {
    int times = args.length > 0 ? Integer.parseInt(args[0]) : 50_000;
    for (int round = 0; round < 20; round++) {
      Replaced.class.getMethod("called", int.class).invoke(null, times);
      names(200_000);
      threads(20);
    }
    Supplier<String> supplier = () -> "sink " + (sink == 0 ? "empty" : "full");
    System.out.println(supplier.get());
  }
}
