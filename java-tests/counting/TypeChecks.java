package counting;

import counting.Expect.Tally;
import java.util.ArrayList;
import java.util.List;

/** The objects at instanceof and casts, with either result; null is not counted. */
final class TypeChecks {
  private static final Tally asked = new Tally(), cast = new Tally(), failed = new Tally(), patterns = new Tally();
  private static final Tally chosen = new Tally(), arrays = new Tally(), generic = new Tally(), both = new Tally();
  private static final Tally second = new Tally();

  static boolean ask(Object object) {
    asked.add(object);
    return object instanceof Number; // @ask
  }

  static int number(Object object) {
    cast.add(object);
    return ((Number) object).intValue(); // @cast
  }

  static int failing(Object object) {
    failed.add(object);
    try {
      return ((String) object).length(); // @failing
    } catch (ClassCastException | NullPointerException wrong) {
      return -1;
    }
  }

  static int pattern(Object object) {
    patterns.add(object);
    if (object instanceof String text && text.length() > 1) return text.length(); // @pattern
    return 0;
  }

  /** The check is where two paths meet. */
  static boolean choose(boolean first, Object a, Object b) {
    chosen.add(first ? a : b);
    return (first ? a : b) instanceof Comparable; // @choose
  }

  static int array(Object object) {
    arrays.add(object);
    return object instanceof int[] ? 1 : object instanceof Object[] ? 2 : 0; // @array
  }

  static int first(List<Integer> list) {
    generic.add(list.get(0));
    return list.get(0) + 1; // @generic
  }

  static int twice(Object object) {
    both.add(object);
    if (!(object instanceof CharSequence)) return 0; // @both
    second.add(object);
    return ((CharSequence) object).length(); // @second
  }

  static long run(int rounds) throws Exception {
    Object[] objects = {
      1, 2L, "three", null, new int[] {4}, new String[] {"5"}, 'c', new StringBuilder("six"), new Object[0][0],
      Thread.State.NEW, String.class, new Exceptions.Boom(0), Nodes.ofManyLoaders("Checked", 1)[0]
    };
    List<List<Integer>> lists = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      List<Integer> list = new ArrayList<>();
      list.add(i);
      lists.add(list);
    }
    long sum = 0;
    for (int i = 0; i < rounds; i++) {
      Object object = objects[i % objects.length];
      Object other = objects[i * 3 % objects.length];
      sum += ask(object) ? 1 : 0;
      sum += object instanceof Number ? number(object) : failing(object);
      sum += pattern(object) + (choose((i & 1) == 0, object, other) ? 1 : 0) + array(other) + first(lists.get(i % 3));
      sum += twice(object);
    }
    return sum;
  }

  static void expect() {
    Expect e = new Expect(TypeChecks.class);
    e.checks("ask", 0, asked);
    e.checks("cast", 0, cast);
    e.checks("failing", 0, failed);
    e.checks("pattern", 0, patterns);
    e.checks("pattern", 1, new Tally().add(String.class, patterns.of(String.class)));
    e.checks("choose", 0, chosen);
    e.checks("array", 0, arrays);
    e.checks("array", 1, arrays.without(int[].class));
    e.checks("generic", 0, generic);
    e.checks("both", 0, both);
    e.checks("second", 0, second);
  }

  private TypeChecks() {}
}
