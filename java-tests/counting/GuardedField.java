package counting;

/** Has a field and a method that get the names of the agent's members; see {@link Guarded}. */
public class GuardedField implements Runnable {
  /** Its subclass inherits the superclass's members. */
  public static final class Sub extends GuardedField {}

  static long[] iprof_c0 = new long[1];
  static int hits;

  static void iprof_hit(Object object, int a, int b) {
    hits += a + b + (object == null ? 1 : 0);
  }

  @Override
  public void run() {
    for (int i = 0; i < 4; i++) {
      if (i % 2 == 0) iprof_c0[0]++;
      iprof_hit(this, i, 1);
    }
    System.out.println("field " + iprof_c0[0] + ", method " + hits + ", length " + iprof_c0.length);
  }
}
