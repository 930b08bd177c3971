package counting;

import counting.Expect.Tally;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;

/**
 * Receivers below arguments of every width. The callee owns its arguments: with "collect", each method drops its
 * parameters and waits until the objects are collected, during the call of its caller.
 */
public final class Arguments {
  private static final Tally alone = new Tally(), one = new Tally(), two = new Tally(), wide = new Tally();
  private static final Tally three = new Tally(), after = new Tally(), before = new Tally(), four = new Tally();
  private static final Tally around = new Tally(), first = new Tally(), last = new Tally(), small = new Tally();
  private static final Tally many = new Tally(), ofTheClass = new Tally();
  private static final List<WeakReference<Object>> passed = new ArrayList<>();
  private static boolean collects;

  interface Target {
    int alone();

    int one(Object a);

    int two(Object a, Object b);

    int wide(double a);

    int three(Object a, Object b, Object c);

    int after(Object a, long b);

    int before(long a, Object b);

    int four(Object a, Object b, Object c, Object d);

    int around(Object a, long b, Object c);

    int first(double a, Object b, Object c);

    int last(Object a, Object b, double c);

    int small(int a, Object b, float c, Object d);

    int many(Object a, double b, Object c, boolean d, long e, Object f);
  }

  abstract static class Base implements Target {
    abstract int number();

    @Override
    public int alone() {
      return number();
    }

    @Override
    public int one(Object a) {
      a = same(a, "a");
      return free("one") + number();
    }

    @Override
    public int two(Object a, Object b) {
      a = same(a, "a");
      b = same(b, "b");
      return free("two") + number();
    }

    @Override
    public int wide(double a) {
      same(a, 1.5);
      return number();
    }

    @Override
    public int three(Object a, Object b, Object c) {
      a = same(a, "a");
      b = same(b, "b");
      c = same(c, "c");
      return free("three") + number();
    }

    @Override
    public int after(Object a, long b) {
      a = same(a, "a");
      same(b, 1L << 40);
      return free("after") + number();
    }

    @Override
    public int before(long a, Object b) {
      same(a, 1L << 40);
      b = same(b, "b");
      return free("before") + number();
    }

    @Override
    public int four(Object a, Object b, Object c, Object d) {
      a = same(a, "a");
      b = same(b, "b");
      c = same(c, "c");
      d = same(d, "d");
      return free("four") + number();
    }

    @Override
    public int around(Object a, long b, Object c) {
      a = same(a, "a");
      same(b, 1L << 40);
      c = same(c, "c");
      return free("around") + number();
    }

    @Override
    public int first(double a, Object b, Object c) {
      same(a, 1.5);
      b = same(b, "b");
      c = same(c, "c");
      return free("first") + number();
    }

    @Override
    public int last(Object a, Object b, double c) {
      a = same(a, "a");
      b = same(b, "b");
      same(c, 1.5);
      return free("last") + number();
    }

    @Override
    public int small(int a, Object b, float c, Object d) {
      same(a, 7);
      b = same(b, "b");
      same(c, 2.5f);
      d = same(d, "d");
      return free("small") + number();
    }

    @Override
    public int many(Object a, double b, Object c, boolean d, long e, Object f) {
      a = same(a, "a");
      same(b, 1.5);
      c = same(c, "c");
      same(d, true);
      same(e, 1L << 40);
      f = same(f, "f");
      return free("many") + number();
    }
  }

  static final class Left extends Base {
    @Override
    int number() {
      return 1;
    }
  }

  static final class Right extends Base {
    @Override
    int number() {
      return 2;
    }
  }

  /** An object that is referenced only by the call. */
  private static Object fresh(String name) {
    if (!collects) return name;
    Object made = new StringBuilder(name);
    passed.add(new WeakReference<>(made));
    return made;
  }

  /** Returns null, for the parameter. */
  private static Object same(Object actual, Object expected) {
    if (!actual.toString().equals(expected.toString())) throw new AssertionError(actual + " came for " + expected);
    return null;
  }

  private static int free(String method) {
    for (int i = 0; collects && !passed.stream().allMatch(object -> object.get() == null); i++) {
      if (i == 20) throw new AssertionError(method + ": an argument is kept alive");
      System.gc();
    }
    passed.clear();
    return 0;
  }

  private static int calls(Target t) {
    int sum = t.alone(); // @alone
    sum += t.one(fresh("a")); // @one
    sum += t.two(fresh("a"), fresh("b")); // @two
    sum += t.wide(1.5); // @wide
    sum += t.three(fresh("a"), fresh("b"), fresh("c")); // @three
    sum += t.after(fresh("a"), 1L << 40); // @after
    sum += t.before(1L << 40, fresh("b")); // @before
    sum += t.four(fresh("a"), fresh("b"), fresh("c"), fresh("d")); // @four
    sum += t.around(fresh("a"), 1L << 40, fresh("c")); // @around
    sum += t.first(1.5, fresh("b"), fresh("c")); // @first
    sum += t.last(fresh("a"), fresh("b"), 1.5); // @last
    sum += t.small(7, fresh("b"), 2.5f, fresh("d")); // @small
    sum += t.many(fresh("a"), 1.5, fresh("c"), true, 1L << 40, fresh("f")); // @many
    for (Tally tally : List.of(alone, one, two, wide, three, after, before, four, around, first, last, small, many)) {
      tally.add(t);
    }
    return sum;
  }

  private static int ofTheClass(Base b) {
    ofTheClass.add(b);
    return b.four(fresh("a"), fresh("b"), fresh("c"), fresh("d")); // @ofTheClass
  }

  static long run(int rounds) {
    Base[] targets = {new Left(), new Right(), new Left()};
    long sum = 0;
    for (int i = 0; i < rounds; i++) sum += calls(targets[i % 3]) + ofTheClass(targets[(i + 1) % 3]);
    return sum;
  }

  static void expect() {
    Expect e = new Expect(Arguments.class);
    e.receivers("alone", alone);
    e.receivers("one", one);
    e.receivers("two", two);
    e.receivers("wide", wide);
    e.receivers("three", three);
    e.receivers("after", after);
    e.receivers("before", before);
    e.receivers("four", four);
    e.receivers("around", around);
    e.receivers("first", first);
    e.receivers("last", last);
    e.receivers("small", small);
    e.receivers("many", many);
    e.receivers("ofTheClass", ofTheClass);
  }

  public static void main(String[] args) {
    collects = args.length > 1 && args[1].equals("collect");
    System.out.println("sum " + run(Integer.parseInt(args[0])));
    expect();
    Expect.print();
  }
}
