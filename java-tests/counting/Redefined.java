package counting;

import counting.Expect.Tally;
import counting.Nodes.Node;
import java.lang.instrument.ClassDefinition;
import java.lang.instrument.Instrumentation;
import java.lang.reflect.Method;

/**
 * A class that another agent (the premain of this class) repeatedly changes and restores while it runs. Argument:
 * rounds. The first version is called more often, so that its positions are in the profile.
 */
public final class Redefined {
  private static final String NAME = "counting.made.Changing";
  private static Instrumentation instrumentation;

  public static void premain(String options, Instrumentation given) {
    instrumentation = given;
  }

  private static int call, branch, same;

  /** shift: number of instructions at the beginning, which shift all positions of changing(). */
  private static byte[] version(int shift) {
    ByteCode b = new ByteCode(NAME);
    ByteCode.Code c = b.code();
    for (int i = 0; i < shift; i++) c.op(0); // nop
    ByteCode.Label zero = new ByteCode.Label();
    c.op(0x2a);
    call = c.invokeInterface("counting/Nodes$Node", "value", "()I");
    branch = c.jump(0x99, zero);
    if (shift > 0) {
      c.op(0x2a);
      c.invokeInterface("counting/Nodes$Node", "value", "()I");
      c.op(0x57); // pop
    }
    c.op(4, 0xac).bind(zero).op(3, 0xac);
    b.method("changing", "(Lcounting/Nodes$Node;)I", 1, 1, c);
    ByteCode.Code s = b.code().op(0x2a);
    same = s.invokeInterface("counting/Nodes$Node", "value", "()I");
    s.op(0xac);
    b.method("same", "(Lcounting/Nodes$Node;)I", 1, 1, s);
    return b.finish();
  }

  private static long resident() throws Exception {
    String status = java.nio.file.Files.readString(java.nio.file.Path.of("/proc/self/status"));
    return Long.parseLong(status.replaceAll("(?s).*RssAnon:\\s*(\\d+) kB.*", "$1"));
  }

  public static void main(String[] args) throws Exception {
    int rounds = Integer.parseInt(args[0]);
    byte[] second = version(3);
    byte[] first = version(0);
    Class<?> changing = new Generated.Loader().define(NAME, first);
    Method method = changing.getMethod("changing", Node.class);
    Method unchanged = changing.getMethod("same", Node.class);
    Node[] nodes = Nodes.ofManyLoaders("Seen", 3);
    Tally ofFirst = new Tally();
    Tally ofSame = new Tally();
    long calls = 0;
    long zeros = 0;
    long sum = 0;
    for (int round = 0; round < rounds; round++) {
      instrumentation.redefineClasses(new ClassDefinition(changing, round % 2 == 0 ? first : second));
      if (round % 10 == 0) instrumentation.retransformClasses(changing, Redefined.class);
      int times = round % 2 == 0 ? 30 : 20;
      for (int i = 0; i < times; i++) {
        Node node = nodes[i % 3];
        sum += (Integer) method.invoke(null, node) + (Integer) unchanged.invoke(null, node);
        ofSame.add(node);
        calls++;
        if (round % 2 != 0) continue;
        ofFirst.add(node);
        if (i % 3 == 0) zeros++;
      }
      if (round + 1 == rounds / 5 || round + 1 == rounds) System.out.println("RESIDENT " + resident());
    }
    System.out.println("sum " + sum);
    Expect e = new Expect(Redefined.class);
    e.calls(NAME, "changing(Lcounting/Nodes$Node;)I", calls);
    e.calls(NAME, "same(Lcounting/Nodes$Node;)I", calls);
    e.at(NAME, "changing(Lcounting/Nodes$Node;)I", branch, zeros, ofFirst.total() - zeros);
    e.receiversAt(NAME, "changing(Lcounting/Nodes$Node;)I", call, ofFirst);
    e.receiversAt(NAME, "same(Lcounting/Nodes$Node;)I", same, ofSame);
    Expect.print();
  }
}
