package counting;

import counting.Expect.Tally;
import counting.Nodes.Node;
import java.lang.reflect.Method;

/** Sites in methods that have no room for a probe, or at places where no Java compiler would put them. */
final class Crowded {
  private static final String NAME = "counting.made.Crowded", NODE = "counting/Nodes$Node";
  private static final String TAKES_NODE = "(Lcounting/Nodes$Node;)I";
  private static final int LOAD_0 = 0x2a, RETURN = 0xac, ENTER = 0xc2, EXIT = 0xc3, POP = 0x57;
  private static final int GOTO = 0xa7, IFNULL = 0xc6, JSR = 0xa8;

  private static final Tally all = new Tally(), monitors = new Tally(), nodes = new Tally();
  private static int lastLocal, fullStack, inSubroutine, wideCall;

  /** 127 longs and the receiver: the most that a call may have. */
  private static final String WIDE = "(" + "J".repeat(127) + ")I";

  static long run(int rounds) throws Exception {
    ByteCode b = new ByteCode(NAME);
    b.constructor();
    // lload 253, l2i
    b.method(0x0001, "wide", WIDE, 2, 255, b.code().op(0x16, 253, 0x88, RETURN));

    ByteCode.Code calls = b.code();
    calls.typed(0xbb, internal()); // new
    calls.op(0x59).invokeSpecial(internal(), "<init>", "()V");
    for (int i = 0; i < 126; i++) calls.op(9); // lconst_0
    calls.op(10); // lconst_1
    wideCall = calls.invokeVirtual(internal(), "wide", WIDE);
    b.method("callsWide", "()I", 256, 0, calls.op(RETURN));

    ByteCode.Code last = b.code().op(LOAD_0);
    last.op(0xc4, 0x3a).u2(65534).op(0xc4, 0x19).u2(65534); // wide astore, wide aload
    lastLocal = last.invokeInterface(NODE, "value", "()I");
    b.method("lastLocal", TAKES_NODE, 1, 65535, last.op(RETURN));

    ByteCode.Code full = b.code().op(LOAD_0);
    fullStack = full.invokeInterface(NODE, "value", "()I");
    b.method("fullStack", TAKES_NODE, 65535, 1, full.op(RETURN));

    ByteCode.Label sub = new ByteCode.Label();
    ByteCode.Code jsr = b.code();
    jsr.jump(JSR, sub);
    jsr.jump(JSR, sub);
    jsr.op(0x1c, RETURN); // iload_2
    jsr.bind(sub).op(0x4c, LOAD_0); // astore_1
    inSubroutine = jsr.invokeInterface(NODE, "value", "()I");
    jsr.op(0x3d, 0xa9, 1); // istore_2, ret 1
    b.method("inSubroutine", TAKES_NODE, 1, 3, jsr);

    // A lock that two paths lead to, and one whose object is chosen just before.
    ByteCode.Label enter = new ByteCode.Label();
    ByteCode.Label other = new ByteCode.Label();
    ByteCode.Code jumped = b.code().op(LOAD_0, LOAD_0);
    jumped.jump(IFNULL, other);
    jumped.op(LOAD_0);
    jumped.jump(GOTO, enter);
    jumped.bind(other).op(LOAD_0);
    jumped.bind(enter).op(ENTER, LOAD_0, EXIT, POP, 4, RETURN);
    b.method("jumped", "(Ljava/lang/Object;)I", 2, 1, jumped);
    ByteCode.Code plain = b.code().op(LOAD_0, 0x59, ENTER, EXIT, 4, RETURN);
    b.method("locked", "(Ljava/lang/Object;)I", 2, 1, plain);

    Class<?> made = new Generated.Loader().define(NAME, b.finish());
    Method callsWide = made.getMethod("callsWide");
    Method locked = made.getMethod("locked", Object.class);
    Method jump = made.getMethod("jumped", Object.class);
    Method[] takeNodes = new Method[3];
    String[] names = {"lastLocal", "fullStack", "inSubroutine"};
    for (int i = 0; i < 3; i++) takeNodes[i] = made.getMethod(names[i], Node.class);
    Node[] from = Nodes.ofManyLoaders("Crowd", 3);
    long sum = 0;
    for (int i = 0; i < rounds; i++) {
      Node node = from[i % 3];
      nodes.add(node);
      for (Method method : takeNodes) sum += (Integer) method.invoke(null, node);
      if ((Integer) callsWide.invoke(null) != 1) throw new AssertionError("an argument was lost");
      all.add(made, 1);
      sum += (Integer) locked.invoke(null, node) + (Integer) jump.invoke(null, node);
      monitors.add(node);
    }
    return sum;
  }

  private static String internal() {
    return NAME.replace('.', '/');
  }

  static void expect() {
    Expect e = new Expect(Crowded.class);
    e.receiversAt(NAME, "callsWide()I", wideCall, all);
    e.receiversAt(NAME, "fullStack" + TAKES_NODE, fullStack, nodes);
    e.receiversAt(NAME, "lastLocal" + TAKES_NODE, lastLocal, nodes);
    e.receiversAt(NAME, "inSubroutine" + TAKES_NODE, inSubroutine, new Tally().addAll(nodes).addAll(nodes));
    e.monitors(monitors);
  }

  private Crowded() {}
}
