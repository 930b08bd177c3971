package overhead;

import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;

/**
 * {@code Main WORKLOAD REPETITIONS}: runs a workload that many times. It prints the CPU time of one repetition in the
 * last quarter, when everything should be compiled, and in the quarter before, which shows whether it was: {@code
 * RESULT steady_ns=N before_ns=N end_ticks=N checksum=N}. The process's CPU time at the end of the program shows how
 * much followed. The number of repetitions is fixed, not the time, so that the whole process does the same work with
 * every configuration. {@link Timeline} can record what happens on the way, and end the run early.
 */
public final class Main {
  private static final Map<String, Callable<Workload>> WORKLOADS = new TreeMap<>(Map.of(
      "fib", () -> Small::fib, "parse", Small.Parse::new, "megamorphic", Megamorphic::new, "exceptions", () -> Small::exceptions,
      "javac", Compile::new, "web", Web::new, "h2", () -> new Database("jdbc:h2:mem:overhead"),
      "hsqldb", () -> new Database("jdbc:hsqldb:mem:overhead")));

  /** One of the above, or a class of this package that needs a library and is compiled separately. */
  private static Workload workload(String name) throws Exception {
    Callable<Workload> known = WORKLOADS.get(name);
    if (known != null) return known.call();
    String simple = Character.toUpperCase(name.charAt(0)) + name.substring(1);
    return (Workload) Class.forName("overhead." + simple).getDeclaredConstructor().newInstance();
  }

  public static void main(String[] args) throws Exception {
    Workload workload = workload(args[0]);
    int repetitions = Integer.parseInt(args[1]);
    int half = repetitions / 2;
    int quarter = half + (repetitions - half) / 2;
    long checksum = 0;
    long atHalf = 0;
    long atQuarter = 0;
    int done = 0;
    Timeline timeline = new Timeline();
    for (; done < repetitions && timeline.goesOn(); done++) {
      if (done == half) atHalf = CpuTime.exceptCompilersNs();
      if (done == quarter) atQuarter = CpuTime.exceptCompilersNs();
      checksum = 31 * checksum + workload.run();
      timeline.note(done + 1);
    }
    // The kernel's clock has steps of a few milliseconds, so only many repetitions together can be measured.
    long end = CpuTime.exceptCompilersNs();
    timeline.end(done);
    String steady = done < repetitions ? "" : " steady_ns=" + (end - atQuarter) / (repetitions - quarter)
        + " before_ns=" + (quarter == half ? 0 : (atQuarter - atHalf) / (quarter - half));
    System.out.println("RESULT" + steady + " end_ticks=" + CpuTime.processTicks() + " checksum=" + checksum);
    workload.close();
  }
}
