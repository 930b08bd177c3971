package behaviour;

/** Collects the results of the programs; the runner prints them after each test method. */
public final class Sink {
  private static StringBuilder text = new StringBuilder();
  private static int ticks;

  private Sink() {}

  public static void i(int value) {
    text.append(value).append(' ');
  }

  public static void j(long value) {
    text.append(value).append("L ");
  }

  public static void f(float value) {
    text.append(value).append("f ");
  }

  public static void d(double value) {
    text.append(value).append("d ");
  }

  public static void a(Object value) {
    text.append(value).append(' ');
  }

  /** True for the first n calls since {@link #take}. */
  public static boolean tick(int n) {
    return ++ticks <= n;
  }

  /** Throws after n calls since {@link #take}: the only way out of a loop without an exit. */
  public static void tickOrThrow(int n) {
    if (++ticks >= n) throw new IllegalStateException("tick " + n);
  }

  public static String take() {
    String taken = text.toString();
    text = new StringBuilder();
    ticks = 0;
    return taken;
  }
}
