package sessions;

import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntUnaryOperator;

/**
 * {@code Many CLASSES}: loads that many classes, a thousand in each class loader, and prints "ready". A thread then calls
 * all of them again and again until the input ends.
 */
public final class Many {
  private static final String NAME = "Template00000";
  private static final int IN_A_LOADER = 1000;

  private static final class Loader extends ClassLoader {
    IntUnaryOperator make(byte[] template, int number) throws ReflectiveOperationException {
      byte[] digits = String.format("%05d", number).getBytes(StandardCharsets.US_ASCII);
      byte[] bytes = template.clone();
      byte[] name = NAME.getBytes(StandardCharsets.US_ASCII);
      for (int at = 0; at + name.length <= bytes.length; at++) {
        int same = 0;
        while (same < name.length && bytes[at + same] == name[same]) same++;
        if (same == name.length) System.arraycopy(digits, 0, bytes, at + name.length - digits.length, digits.length);
      }
      Class<?> made = defineClass(null, bytes, 0, bytes.length);
      return (IntUnaryOperator) made.getDeclaredConstructor().newInstance();
    }
  }

  public static void main(String[] args) throws Exception {
    byte[] template;
    try (InputStream in = Many.class.getResourceAsStream(NAME + ".class")) {
      template = in.readAllBytes();
    }
    int count = Integer.parseInt(args[0]);
    List<IntUnaryOperator> all = new ArrayList<>();
    Loader loader = null;
    for (int i = 0; i < count; i++) {
      if (i % IN_A_LOADER == 0) loader = new Loader();
      all.add(loader.make(template, i));
    }
    Thread caller = new Thread(() -> {
      for (int n = 0;; n++) {
        for (IntUnaryOperator one : all) one.applyAsInt(n);
      }
    });
    caller.setDaemon(true);
    caller.start();
    System.out.println("ready");
    while (System.in.read() >= 0) {}
    System.exit(0);
  }
}
