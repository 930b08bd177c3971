/** Runs a workload of bench/overhead, says so, and waits for the end of its input: {@code WORKLOAD REPETITIONS}. */
public final class Held {
  public static void main(String[] args) throws Exception {
    overhead.Main.main(args);
    System.out.println("ready");
    while (System.in.read() >= 0) {}
  }
}
