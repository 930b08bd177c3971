package counting;

/**
 * What a program knows of its own counts, collected while it runs and printed at its end, one line each.
 *
 * <p>A branch is named by the line that carries a comment {@code // @marker} and, where that line has several
 * branches, by its number in bytecode order: the checker finds the bytecode position in the class file, so that nothing
 * here depends on a compiler's layout. The lines, after the word EXPECT:
 *
 * <pre>
 *   calls CLASS METHOD+DESCRIPTOR N            the method was entered N times
 *   calls-at-least CLASS METHOD+DESCRIPTOR N   the same for methods of the JDK, which others call as well
 *   entry FILE@marker N                        the method that the marked line belongs to (lambda bodies) was entered N times
 *   branch FILE@marker#K taken N not M         the K-th branch of the line, by what the instruction does
 *   value FILE@marker#K zero N nonzero M       the same for ifeq and ifne, by the value that was tested
 *   switch FILE@marker#K N... default M        executions for each key, in key order, and for all other values
 *   at CLASS METHOD+DESCRIPTOR BCI taken N not M   a branch of a class that was generated at run time
 *   at-switch CLASS METHOD+DESCRIPTOR BCI TARGET:N...   each target's executions, of such a class
 *   abrupt CLASS METHOD+DESCRIPTOR K           K of its blocks were left by an exception
 *   live CLASS METHOD+DESCRIPTOR K             K frames of it are still running at the end
 *   done                                       the list is whole
 * </pre>
 */
final class Expect {
  private static final StringBuilder LINES = new StringBuilder();

  private final String file;
  private final String owner;

  Expect(Class<?> program) {
    owner = program.getName();
    String simple = owner.substring(owner.lastIndexOf('.') + 1);
    int nested = simple.indexOf('$');
    file = (nested < 0 ? simple : simple.substring(0, nested)) + ".java";
  }

  private static synchronized void line(String text) {
    LINES.append("EXPECT ").append(text).append('\n');
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

  void abrupt(String method, long k) {
    line("abrupt " + owner + " " + method + " " + k);
  }

  void abrupt(String owner, String method, long k) {
    line("abrupt " + owner + " " + method + " " + k);
  }

  void live(String method, long k) {
    line("live " + owner + " " + method + " " + k);
  }

  /** Once, at the end of the program. */
  static void print() {
    line("done");
    System.out.print(LINES);
    System.out.flush();
  }
}
