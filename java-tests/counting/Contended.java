package counting;

/** Several threads execute one branch at the same time; the checker measures how many increments are lost. */
public final class Contended {
  static int work(int x) {
    if ((x & 3) == 0) return 1; // @hot
    return 2;
  }

  static long hammer(int n) {
    long sum = 0;
    for (int i = 0; i < n; i++) sum += work(i); // @loop
    return sum;
  }

  public static void main(String[] args) throws Exception {
    int threads = Integer.parseInt(args[0]);
    int each = Integer.parseInt(args[1]);
    long[] sums = new long[threads];
    Thread[] running = new Thread[threads];
    for (int t = 0; t < threads; t++) {
      int me = t;
      running[t] = new Thread(() -> sums[me] = hammer(each));
    }
    for (Thread thread : running) thread.start();
    for (Thread thread : running) thread.join();
    long total = (long) threads * each;
    Expect e = new Expect(Contended.class);
    e.calls("work(I)I", total);
    e.branch("hot", total - total / 4, total / 4);
    e.branch("loop", threads, total);
    Expect.print();
  }
}
