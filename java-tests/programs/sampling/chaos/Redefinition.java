package sampling.chaos;

import java.lang.instrument.ClassDefinition;
import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.security.ProtectionDomain;

/** A class whose methods are replaced while they run, alternately by redefinition and by retransformation. */
final class Redefinition implements Burden.Body {
  private static final long ORIGINAL = 0x1122334455667788L;
  private static final long CHANGED = 0x7766554433221100L;

  /**
   * The agent in the tests' jar: the JVM calls it before the program, and it keeps the Instrumentation
   * for redefinition.
   */
  public static final class Premain {
    static volatile Instrumentation instrumentation;

    private Premain() {
    }

    public static void premain(String options, Instrumentation given) {
      instrumentation = given;
    }
  }

  /** The redefined class: recursive, so that old methods are on the stack when new ones are installed. */
  static final class Target {
    private Target() {
    }

    static long value() {
      return ORIGINAL;
    }

    static long descend(int depth) {
      if (depth == 0) {
        long seen = 0;
        for (int i = 0; i < 2_000; i++) {
          seen ^= value() + i;
        }
        return seen;
      }
      return descend(depth - 1) + 1;
    }
  }

  private static volatile long sink;
  private final byte[] original = Bytes.of(Target.class);
  private final byte[] changed = Bytes.withConstant(original, ORIGINAL, CHANGED);
  private volatile byte[] next;
  private Thread runner;
  private boolean odd;

  @Override
  public void round() throws Exception {
    Instrumentation instrumentation = Premain.instrumentation;
    if (runner == null) {
      instrumentation.addTransformer(new Replace(), true);
      runner = new Thread(() -> {
        for (int depth = 0;; depth = (depth + 1) % 50) {
          sink = Target.descend(depth);
        }
      }, "runs what is redefined");
      runner.setDaemon(true);
      runner.start();
    }
    odd = !odd;
    byte[] wanted = odd ? changed : original;
    if (sink % 2 == 0) {
      next = null;
      instrumentation.redefineClasses(new ClassDefinition(Target.class, wanted));
    } else {
      next = wanted;
      instrumentation.retransformClasses(Target.class);
    }
    long value = Target.value();
    if (value != (odd ? CHANGED : ORIGINAL)) {
      throw new IllegalStateException("redefined, but the value is " + Long.toHexString(value));
    }
    Thread.sleep(2);
  }

  private final class Replace implements ClassFileTransformer {
    @Override
    public byte[] transform(ClassLoader loader, String name, Class<?> type, ProtectionDomain domain, byte[] bytes) {
      return type == Target.class ? next : null;
    }
  }
}
