package sampling.chaos;

/** Invalidates compiled code: in each round, new classes are compiled under assumptions that then become wrong. */
final class Deoptimisation implements Burden.Body {
  @Override
  public void round() throws Exception {
    Bytes.Loader loader = new Bytes.Loader(Assumptions.class, Assumptions.Shape.class, Assumptions.Late.class);
    ((Runnable) loader.loadClass(Assumptions.class.getName()).getDeclaredConstructor().newInstance()).run();
  }

  /** Runs hot, then breaks the compilers' assumptions: one implementor, no null, no other class, bounds, branches. */
  public static final class Assumptions implements Runnable {
    private static final int HOT = 30_000;
    private static long sink;

    /** Has no subclass until the loop over it is compiled. */
    public static class Shape {
      long area(int i) {
        return i;
      }
    }

    /** Loaded in the middle of that loop. */
    public static final class Late extends Shape {
      @Override
      long area(int i) {
        return -i;
      }
    }

    @Override
    public void run() {
      Shape shape = new Shape();
      int[] numbers = new int[16];
      for (int i = 0; i < HOT; i++) {
        sink += use(shape, "text", numbers, i & 15);
        if (i == HOT - 100) {
          shape = new Late();
        }
      }
      for (int i = 0; i < 20; i++) {
        attempt(null, "text", 0);
        attempt(shape, 5, 0);
        attempt(shape, "text", 16);
        sink += use(shape, "text", numbers, -1);
      }
    }

    private static void attempt(Shape shape, Object text, int index) {
      try {
        sink += use(shape, text, new int[16], index);
      } catch (NullPointerException | ClassCastException | ArrayIndexOutOfBoundsException expected) {
        sink++;
      }
    }

    private static long use(Shape shape, Object text, int[] numbers, int index) {
      long area = shape.area(index);
      if (index < 0) {
        return area * 7;
      }
      return area + ((String) text).length() + numbers[index];
    }
  }
}
