package counting;

import java.lang.reflect.Proxy;
import java.util.function.IntUnaryOperator;

/** Lambdas and proxies in class loaders that do not find every class of the JDK; see {@link Guarded}. */
public final class GuardedLambda implements Runnable {
  static int sum;

  @Override
  public void run() {
    IntUnaryOperator negate =
        i -> {
          return i % 2 == 0 ? i : -i; // @guarded.lambda
        };
    for (int i = 0; i < 10; i++) sum += negate.applyAsInt(i); // @guarded.lambdas
    Runnable made =
        (Runnable) Proxy.newProxyInstance(
            GuardedLambda.class.getClassLoader(), new Class<?>[] {Runnable.class}, (p, m, a) -> null);
    made.run(); // @guarded.proxy
  }

  /** The expected counts of this many runs. */
  static void expect(int runs) {
    Expect e = new Expect(GuardedLambda.class);
    e.calls("run()V", runs);
    e.entry("guarded.lambda", 10 * runs);
    e.value("guarded.lambda", 0, 5 * runs, 5 * runs);
    e.branch("guarded.lambdas", runs, 10 * runs);
  }
}
