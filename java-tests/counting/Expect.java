package counting;

import java.util.Map;
import java.util.TreeMap;

/**
 * The counts that a program knows about itself, collected while it runs and printed at its end, one per line.
 *
 * <p>A branch is named by the line that has a comment {@code // @marker} and, if that line has several branches, by its
 * number in bytecode order. The checker finds the bytecode position in the class file, so that nothing here depends on
 * the compiler. The lines, after the word EXPECT:
 *
 * <pre>
 *   calls CLASS METHOD+DESCRIPTOR N            the method was entered N times
 *   calls-at-least CLASS METHOD+DESCRIPTOR N   the same for methods of the JDK, which other code calls as well
 *   entry FILE@marker N                        the method that the marked line belongs to (lambda bodies) was entered N times
 *   branch FILE@marker#K taken N not M         the K-th branch of the line, by what the instruction does
 *   value FILE@marker#K zero N nonzero M       the same for ifeq and ifne, by the value that was tested
 *   switch FILE@marker#K N... default M        executions for each key, in key order, and for all other values
 *   at CLASS METHOD+DESCRIPTOR BCI taken N not M   a branch of a class that was generated at run time
 *   at-switch CLASS METHOD+DESCRIPTOR BCI TARGET:N...   each target's executions, of such a class
 *   receivers FILE@marker#K TYPE:N ...         the receivers at the line's K-th invokevirtual or invokeinterface; if no
 *                                              type follows, there are none
 *   receivers-at CLASS METHOD+DESCRIPTOR BCI TYPE:N ...   the same in a class that was generated at run time
 *   special FILE@marker#K                      the line's K-th invokespecial has no record of receivers
 *   checks FILE@marker#K TYPE:N ...            the objects at the line's K-th instanceof or checkcast
 *   checks-at CLASS METHOD+DESCRIPTOR BCI TYPE:N ...
 *   monitors TYPE N                            monitors of objects of this class that were entered
 *   abrupt CLASS METHOD+DESCRIPTOR K           exceptions left its blocks K times
 *   live CLASS METHOD+DESCRIPTOR K             K frames of it are still running at the end
 *   done                                       the list is complete
 * </pre>
 */
final class Expect {
  private static final StringBuffer LINES = new StringBuffer();

  private final String file;
  private final String owner;

  Expect(Class<?> program) {
    owner = program.getName();
    String simple = owner.substring(owner.lastIndexOf('.') + 1);
    int nested = simple.indexOf('$');
    file = (nested < 0 ? simple : simple.substring(0, nested)) + ".java";
  }

  /** Uses no monitor of this package's classes, because programs count theirs. */
  private static void line(String text) {
    LINES.append("EXPECT " + text + "\n");
  }

  void calls(String method, long n) {
    line("calls " + owner + " " + method + " " + n);
  }

  void calls(String owner, String method, long n) {
    line("calls " + owner + " " + method + " " + n);
  }

  void callsAtLeast(String owner, String method, long n) {
    line("calls-at-least " + owner + " " + method + " " + n);
  }

  void entry(String marker, long n) {
    line("entry " + file + "@" + marker + " " + n);
  }

  void branch(String marker, long taken, long not) {
    branch(marker, 0, taken, not);
  }

  void branch(String marker, int k, long taken, long not) {
    line("branch " + file + "@" + marker + "#" + k + " taken " + taken + " not " + not);
  }

  void value(String marker, int k, long zero, long nonzero) {
    line("value " + file + "@" + marker + "#" + k + " zero " + zero + " nonzero " + nonzero);
  }

  void cases(String marker, int k, long other, long... perKey) {
    StringBuilder text = new StringBuilder("switch " + file + "@" + marker + "#" + k);
    for (long n : perKey) text.append(' ').append(n);
    line(text.append(" default ").append(other).toString());
  }

  void at(String owner, String method, int bci, long taken, long not) {
    line("at " + owner + " " + method + " " + bci + " taken " + taken + " not " + not);
  }

  void atSwitch(String owner, String method, int bci, String targets) {
    line("at-switch " + owner + " " + method + " " + bci + " " + targets);
  }

  /** The classes of the objects that a site saw, and how often. */
  static final class Tally {
    private final Map<String, Long> counts = new TreeMap<>();

    /** Null is not counted. */
    Tally add(Object object) {
      return object == null ? this : add(object.getClass(), 1);
    }

    Tally add(Class<?> type, long n) {
      return add(name(type), n);
    }

    Tally add(String type, long n) {
      if (n > 0) counts.merge(type, n, Long::sum);
      return this;
    }

    Tally addAll(Tally other) {
      other.counts.forEach(this::add);
      return this;
    }

    Tally without(Class<?> type) {
      Tally rest = new Tally().addAll(this);
      rest.counts.remove(name(type));
      return rest;
    }

    long of(Class<?> type) {
      return counts.getOrDefault(name(type), 0L);
    }

    long total() {
      return counts.values().stream().mapToLong(n -> n).sum();
    }

    /** The name of a lambda's class differs in each run; the checker verifies its stable name. */
    static String name(Class<?> type) {
      String name = type.getName();
      int lambda = name.indexOf("$$Lambda");
      if (lambda >= 0) return name.substring(0, lambda) + "$$Lambda*" + System.identityHashCode(type);
      return name;
    }

    @Override
    public String toString() {
      StringBuilder text = new StringBuilder();
      counts.forEach((type, n) -> text.append(' ').append(type).append(':').append(n));
      return text.toString();
    }
  }

  void receivers(String marker, Tally tally) {
    receivers(marker, 0, tally);
  }

  void receivers(String marker, int k, Tally tally) {
    line("receivers " + file + "@" + marker + "#" + k + tally);
  }

  void receiversAt(String owner, String method, int bci, Tally tally) {
    line("receivers-at " + owner + " " + method + " " + bci + tally);
  }

  void special(String marker, int k) {
    line("special " + file + "@" + marker + "#" + k);
  }

  void checks(String marker, int k, Tally tally) {
    line("checks " + file + "@" + marker + "#" + k + tally);
  }

  void checksAt(String owner, String method, int bci, Tally tally) {
    line("checks-at " + owner + " " + method + " " + bci + tally);
  }

  void monitors(Tally tally) {
    tally.counts.forEach((type, n) -> line("monitors " + type + " " + n));
  }

  void abrupt(String method, long k) {
    line("abrupt " + owner + " " + method + " " + k);
  }

  void abrupt(String owner, String method, long k) {
    line("abrupt " + owner + " " + method + " " + k);
  }

  void live(String method, long k) {
    line("live " + owner + " " + method + " " + k);
  }

  /** Call once, at the end of the program. */
  static void print() {
    line("done");
    System.out.print(LINES);
    System.out.flush();
  }
}
