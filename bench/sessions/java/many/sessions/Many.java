package sessions;

import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntUnaryOperator;

/**
 * {@code Many CLASSES [TIMES]}: loads that many classes, a thousand in each class loader, which are copies of Template00000. With
 * TIMES, it calls each of them so often and prints a checksum. Otherwise it prints "ready", and a thread calls all of them again and
 * again until the input ends.
 */
public final class Many {
  private static final String NAME = "Template00000";
  private static final int IN_A_LOADER = 1000;

  /** What is copied; copies differ in the digits of their names. */
  public static class Template00000 implements IntUnaryOperator {
    private int sum;

    @Override
    public int applyAsInt(int n) {
      for (int i = 0; i < n % 8; i++) {
        if (i % 3 == 0) {
          sum += twice(i);
        } else {
          sum -= once(n);
        }
      }
      return sum;
    }

    private static int twice(int n) { return n > 4 ? 2 * n : n + n; }

    private int once(int n) {
      try {
        return Integer.parseInt(Integer.toString(n));
      } catch (NumberFormatException never) {
        return 0;
      }
    }
  }

  private static final class Loader extends ClassLoader {
    IntUnaryOperator make(String template, int number) throws ReflectiveOperationException {
      // A name of the same length, so only these bytes of the constant pool differ. Latin-1 keeps all bytes.
      byte[] bytes = template.replace(NAME, String.format("Template%05d", number)).getBytes(StandardCharsets.ISO_8859_1);
      return (IntUnaryOperator) defineClass(null, bytes, 0, bytes.length).getDeclaredConstructor().newInstance();
    }
  }

  /** A class of its own: in a class with a loop that runs all the time, methods keep their probes. */
  private static final class Calls {
    static long all(List<IntUnaryOperator> operators, int n) {
      long sum = 0;
      for (IntUnaryOperator one : operators) sum += one.applyAsInt(n);
      return sum;
    }
  }

  public static void main(String[] args) throws Exception {
    String template;
    try (InputStream in = Many.class.getResourceAsStream("Many$" + NAME + ".class")) {
      template = new String(in.readAllBytes(), StandardCharsets.ISO_8859_1);
    }
    List<IntUnaryOperator> all = new ArrayList<>();
    Loader loader = null;
    for (int i = 0; i < Integer.parseInt(args[0]); i++) {
      if (i % IN_A_LOADER == 0) loader = new Loader();
      all.add(loader.make(template, i));
    }
    if (args.length > 1) {
      long sum = 0;
      for (int n = 0; n < Integer.parseInt(args[1]); n++) sum = 31 * sum + Calls.all(all, n);
      System.out.println(sum);
      return;
    }
    Thread caller = new Thread(() -> {
      for (int n = 0;; n++) Calls.all(all, n);
    });
    caller.setDaemon(true);
    caller.start();
    System.out.println("ready");
    while (System.in.read() >= 0) {}
    System.exit(0);
  }
}
