package counting;

import counting.Expect.Tally;
import counting.Nodes.Draw;
import counting.Nodes.Node;
import java.util.Arrays;

/**
 * Changes the classes of sites between harvests: in each period, a site sees some classes again, others for the first
 * time, and some for the last time. Arguments: periods, and milliseconds to wait after each.
 */
public final class Harvested {
  private static final int CLASSES = 300;

  private static int site(Node node) {
    return node.value(); // @site
  }

  private static int locked(Node node) {
    synchronized (node) {
      return node.value(); // @locked
    }
  }

  public static void main(String[] args) throws Exception {
    int periods = Integer.parseInt(args[0]);
    Node[] nodes = Nodes.ofManyLoaders("Harvested", CLASSES);
    Tally tally = new Tally();
    Tally first = new Tally();
    Tally monitors = new Tally();
    long sum = 0;
    for (int period = 0; period < periods; period++) {
      int from = period * CLASSES / (periods + 1);
      Draw draw = new Draw(CLASSES - from, true);
      for (int i = 0; i < 20000; i++) {
        Node node = nodes[from + draw.next()];
        sum += site(node);
        tally.add(node);
        if (i % 10 == 0) {
          sum += locked(node);
          first.add(node);
        }
      }
      Arrays.fill(nodes, 0, (period + 1) * CLASSES / (periods + 1), null);
      System.gc();
      Thread.sleep(Integer.parseInt(args[1]));
    }
    System.out.println("sum " + sum);
    monitors.addAll(first);
    Expect e = new Expect(Harvested.class);
    e.receivers("site", tally);
    e.receivers("locked", first);
    e.monitors(monitors);
    Expect.print();
  }
}
