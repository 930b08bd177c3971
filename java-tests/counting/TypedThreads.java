package counting;

import counting.Expect.Tally;
import counting.Nodes.Node;

/**
 * Threads at the same sites at the same time. Arguments: threads, calls of each. One site sees two classes of the
 * application's loader, one sees nine of them, and one sees nine classes of other loaders; the frequency of class k is
 * proportional to 9 - k.
 */
public final class TypedThreads {
  private static int two(Node node) {
    return node.value(); // @two
  }

  private static int nine(Node node) {
    return node.value(); // @nine
  }

  private static int others(Node node) {
    return node.value(); // @others
  }

  private static int locked(Object lock) {
    synchronized (lock) {
      return 1;
    }
  }

  private static final class Lock {}

  /** The result contains class k of n 9 - k times. */
  private static Node[] weighted(Node[] nodes, int n) {
    Node[] made = new Node[9 * n - n * (n - 1) / 2];
    int at = 0;
    for (int k = 0; k < n; k++) {
      for (int i = 0; i < 9 - k; i++) made[at++] = nodes[k];
    }
    return made;
  }

  private static Tally tally(Node[] weighted, long calls) {
    Tally tally = new Tally();
    for (Node node : weighted) tally.add(node.getClass(), calls / weighted.length);
    return tally;
  }

  public static void main(String[] args) throws Exception {
    int threads = Integer.parseInt(args[0]);
    int each = Integer.parseInt(args[1]) / (17 * 45) * 17 * 45;
    Node[] own = Nodes.ofOneLoader("Threads", 9);
    Node[] foreign = Nodes.ofManyLoaders("Threads", 9);
    Node[] two = weighted(own, 2);
    Node[] nine = weighted(own, 9);
    Node[] others = weighted(foreign, 9);
    long[] sums = new long[threads];
    Thread[] running = new Thread[threads];
    for (int t = 0; t < threads; t++) {
      int me = t;
      running[t] = new Thread(() -> {
        Lock lock = new Lock();
        long sum = 0;
        for (int i = 0; i < each; i++) {
          sum += two(two[i % 17]) + nine(nine[i % 45]) + others(others[i % 45]) + locked(lock);
        }
        sums[me] = sum;
      });
    }
    for (Thread thread : running) thread.start();
    for (Thread thread : running) thread.join();
    long total = (long) threads * each;
    Expect e = new Expect(TypedThreads.class);
    e.receivers("two", tally(two, total));
    e.receivers("nine", tally(nine, total));
    e.receivers("others", tally(others, total));
    e.monitors(new Tally().add(Lock.class, total));
    Expect.print();
  }
}
