package counting;

import counting.Nodes.Draw;
import counting.Nodes.Node;

/** Call sites that see 1 to 5,000 classes, or fewer, evenly or mostly a few of them, of one loader or of many. */
final class Sites {
  private interface Site {
    int at(Node node);
  }

  static final int MOST = 5000;
  private static final String[] NAMES = {"1", "2", "7", "8", "9", "100", "Most"};
  private static final int[] sizes = {1, 2, 7, 8, 9, 100, MOST};

  private static final Site[] EVEN = {
    n -> n.value(), // @even1
    n -> n.value(), // @even2
    n -> n.value(), // @even7
    n -> n.value(), // @even8
    n -> n.value(), // @even9
    n -> n.value(), // @even100
    n -> n.value(), // @evenMost
  };

  private static final Site[] SKEWED = {
    n -> n.value(), // @skewed1
    n -> n.value(), // @skewed2
    n -> n.value(), // @skewed7
    n -> n.value(), // @skewed8
    n -> n.value(), // @skewed9
    n -> n.value(), // @skewed100
    n -> n.value(), // @skewedMost
  };

  private static final Site[] LOADERS = {
    n -> n.value(), // @loaders1
    n -> n.value(), // @loaders2
    n -> n.value(), // @loaders7
    n -> n.value(), // @loaders8
    n -> n.value(), // @loaders9
    n -> n.value(), // @loaders100
  };

  private static final long[][] even = new long[NAMES.length][];
  private static final long[][] skewed = new long[NAMES.length][];
  private static final long[][] ofLoaders = new long[LOADERS.length][];
  private static final long[] looped = new long[9];
  private static Node[] nodes;
  private static Node[] loaders;

  private static long drive(Site site, Node[] from, Draw draw, int rounds, long[] counts) {
    long sum = 0;
    for (int i = 0; i < rounds; i++) {
      int k = draw.next();
      counts[k]++;
      sum += site.at(from[k]);
    }
    return sum;
  }

  /** The site is in the loop itself, which is compiled while it runs. */
  private static long loop(Node[] from, int rounds) {
    long sum = 0;
    for (int i = 0; i < rounds; i++) {
      int k = i % 9;
      looped[k]++;
      sum += from[k].value(); // @loop
    }
    return sum;
  }

  private static int rounds(int size, int atLeast) {
    return Math.max(atLeast, 4 * size);
  }

  /** most: how many classes the last sites see. Each is defined, which takes longer than all calls. */
  static long run(int atLeast, int most) throws Exception {
    sizes[sizes.length - 1] = most;
    nodes = Nodes.ofOneLoader("Node", most);
    loaders = Nodes.ofManyLoaders("Node", 100);
    long sum = loop(nodes, atLeast);
    for (int i = 0; i < sizes.length; i++) {
      int n = sizes[i];
      sum += drive(EVEN[i], nodes, new Draw(n, false), rounds(n, atLeast), even[i] = new long[n]);
      sum += drive(SKEWED[i], nodes, new Draw(n, true), rounds(n, atLeast), skewed[i] = new long[n]);
    }
    for (int i = 0; i < LOADERS.length; i++) {
      int n = sizes[i];
      sum += drive(LOADERS[i], loaders, new Draw(n, true), rounds(n, atLeast), ofLoaders[i] = new long[n]);
    }
    return sum;
  }

  private static Expect.Tally tally(Node[] from, long[] counts) {
    Expect.Tally tally = new Expect.Tally();
    for (int i = 0; i < counts.length; i++) tally.add(from[i].getClass(), counts[i]);
    return tally;
  }

  static void expect() {
    Expect e = new Expect(Sites.class);
    e.receivers("loop", tally(nodes, looped));
    for (int i = 0; i < sizes.length; i++) {
      e.receivers("even" + NAMES[i], tally(nodes, even[i]));
      e.receivers("skewed" + NAMES[i], tally(nodes, skewed[i]));
    }
    for (int i = 0; i < LOADERS.length; i++) e.receivers("loaders" + NAMES[i], tally(loaders, ofLoaders[i]));
  }
}
