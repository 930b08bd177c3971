package counting;

/** Loops of every form: nested, left early, and long enough to be compiled while they run (on-stack replacement). */
final class Loops {
  private static long inner, outer, broke, continued, odd, whiles, doWhiles, skipped, tried, caught, seconds;
  private static long sink;

  static int nested(int a, int b) {
    int r = 0;
    for (int i = 0; i < a; i++) { // @outer
      outer++;
      for (int j = 0; j < b; j++) { // @inner
        inner++;
        r += i ^ j;
      }
    }
    return r;
  }

  static int labels(int limit) {
    int r = 0;
    rows:
    for (int i = 0; i < limit; i++) { // @rows
      for (int j = 0; ; j++) {
        if (j > i) { // @leave
          broke++;
          continue rows;
        }
        if ((j & 1) == 1) { // @odd
          odd++;
          continue;
        }
        continued++;
        if (r > 1000000) break rows; // @never
        r += j;
      }
    }
    return r;
  }

  static int whileLoop(int x) {
    int steps = 0;
    while (x != 1) { // @while
      whiles++;
      x = (x & 1) == 0 ? x / 2 : 3 * x + 1; // @collatz
      steps++;
    }
    return steps;
  }

  static int doWhile(int x) {
    int digits = 0;
    do {
      doWhiles++;
      digits++;
      x /= 10;
    } while (x != 0); // @do
    return digits;
  }

  /** Only the loop: C2 may unroll and vectorise it. */
  static int sum(int[] a) {
    int s = 0;
    for (int i = 0; i < a.length; i++) s += a[i]; // @sum
    return s;
  }

  static void fill(int[] a) {
    for (int i = a.length - 1; i >= 0; i--) a[i] = i; // @fill
  }

  static long counted(long n) {
    long s = 0;
    for (long i = 0; i < n; i += 2) s += i & 3; // @long
    return s;
  }

  static int tryInLoop(int n) {
    int r = 0;
    int[] a = new int[8];
    for (int i = 0; i < n; i++) { // @try
      try {
        tried++;
        r += a[i % 10]; // fails for 8 and 9
      } catch (ArrayIndexOutOfBoundsException e) {
        caught++;
      }
    }
    return r;
  }

  static void zero() {
    for (int i = 0; i < 0; i++) skipped++; // @zero
  }

  /** Called once: runs as compiled code only through on-stack replacement. */
  static long osr(int n) {
    long s = 0;
    for (int i = 0; i < n; i++) { // @osr
      if ((i & 7) == 3) { // @osrIf
        s += i;
      } else {
        s ^= i;
      }
    }
    for (int i = 0; i < n; i++) { // @second
      for (int j = i & 3; j > 0; j--) { // @short
        seconds++;
        s += j;
      }
    }
    return s;
  }

  static final int NESTED_CALLS = 300;
  static final int ARRAY = 1000;

  static void run(int osr) {
    for (int i = 0; i < NESTED_CALLS; i++) sink += nested(i % 20, i % 30);
    for (int i = 0; i < 200; i++) sink += labels(i % 40);
    for (int i = 1; i < 3000; i++) sink += whileLoop(i) + doWhile(i * 37);
    int[] a = new int[ARRAY];
    for (int i = 0; i < 200; i++) {
      fill(a);
      sink += sum(a) + counted(i);
    }
    sink += tryInLoop(20000);
    zero();
    sink += osr(osr);
  }

  static void expect(int n) {
    Expect e = new Expect(Loops.class);
    e.calls("nested(II)I", NESTED_CALLS);
    e.branch("outer", NESTED_CALLS, outer);
    e.branch("inner", outer, inner);
    e.calls("labels(I)I", 200);
    e.branch("rows", 200, broke);
    e.branch("leave", odd + continued, broke);
    e.branch("odd", continued, odd);
    e.branch("never", continued, 0);
    e.calls("whileLoop(I)I", 2999);
    e.branch("while", 2999, whiles);
    e.calls("doWhile(I)I", 2999);
    e.branch("do", doWhiles - 2999, 2999);
    e.calls("sum([I)I", 200);
    e.branch("sum", 200, 200 * ARRAY);
    e.calls("fill([I)V", 200);
    e.branch("fill", 200, 200 * ARRAY);
    long steps = 0;
    for (int i = 0; i < 200; i++) steps += (i + 1) / 2;
    e.branch("long", 200, steps);
    e.calls("tryInLoop(I)I", 1);
    e.branch("try", 1, tried);
    e.abrupt("tryInLoop(I)I", caught);
    e.branch("zero", 1, skipped);
    e.calls("osr(I)J", 1);
    e.branch("osr", 1, n);
    e.branch("osrIf", n - (n + 4) / 8, (n + 4) / 8);
    e.branch("second", 1, n);
    e.branch("short", n, seconds);
  }
}
