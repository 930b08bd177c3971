package counting;

import counting.Expect.Tally;
import counting.Nodes.Node;
import java.lang.reflect.Method;

/**
 * Many more classes at many more sites in a short time than any table can hold: 2,000 classes at each of 60 sites,
 * twice, and a few classes at one other site. Kept counts must be right, and lost ones must be reported.
 */
public final class Overflown {
  private static final int SITES = 60, CLASSES = 2000;

  private static int site(Node node) {
    return node.value(); // @calm
  }

  public static void main(String[] args) throws Exception {
    String name = "counting.made.Caller";
    ByteCode b = new ByteCode(name);
    ByteCode.Code c = b.code();
    int[] at = new int[SITES];
    c.op(3); // iconst_0
    for (int i = 0; i < SITES; i++) {
      c.op(0x2a); // aload_0
      at[i] = c.invokeInterface("counting/Nodes$Node", "value", "()I");
      c.op(0x60); // iadd
    }
    c.op(0xac);
    b.method("all", "(Lcounting/Nodes$Node;)I", 2, 1, c);
    Method all = new Generated.Loader().define(name, b.finish()).getMethod("all", Node.class);
    Node[] nodes = Nodes.ofOneLoader("Many", CLASSES);
    Node[] few = Nodes.ofManyLoaders("Few", 3);
    Tally tally = new Tally();
    Tally calm = new Tally();
    long sum = 0;
    for (int i = 0; i < 1000; i++) {
      sum += site(few[i % 3]);
      calm.add(few[i % 3]);
    }
    for (int round = 0; round < 2; round++) {
      for (Node node : nodes) sum += (Integer) all.invoke(null, node);
    }
    for (Node node : nodes) tally.add(node.getClass(), 2);
    System.out.println("sum " + sum);
    Expect e = new Expect(Overflown.class);
    e.receivers("calm", calm);
    for (int bci : at) e.receiversAt(name, "all(Lcounting/Nodes$Node;)I", bci, tally);
    Expect.print();
  }
}
