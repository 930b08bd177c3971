package overhead;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;

/**
 * {@code Main WORKLOAD REPETITIONS}: runs a workload that often and prints the mean of the second half, when everything
 * is compiled: {@code RESULT steady_ns=N checksum=N}. The number of repetitions is fixed, not the time, so that the
 * whole process does the same work under every configuration. Time is the thread's own on a CPU, as Linux counts it,
 * so that a machine that does something else meanwhile disturbs less.
 */
public final class Main {
  private static final Map<String, Supplier<Workload>> WORKLOADS = new TreeMap<>(Map.of(
      "fib", () -> Small::fib, "sieve", () -> Small::sieve, "sort", Small.Sort::new, "parse", Small.Parse::new,
      "nbody", Small.Bodies::new, "interfaces", Shapes::new, "megamorphic", Megamorphic::new, "exceptions", () -> Throwing::run,
      "javac", Compile::new));

  /** One of the above, or a class of this package that needs a library and is compiled apart. */
  private static Workload workload(String name) throws ReflectiveOperationException {
    Supplier<Workload> known = WORKLOADS.get(name);
    if (known != null) return known.get();
    return (Workload) Class.forName("overhead." + name).getDeclaredConstructor().newInstance();
  }

  private static long onCpu() throws IOException {
    String line = Files.readString(Path.of("/proc/thread-self/schedstat"));
    return Long.parseLong(line.substring(0, line.indexOf(' ')));
  }

  public static void main(String[] args) throws Exception {
    Workload workload = workload(args[0]);
    int repetitions = Integer.parseInt(args[1]);
    long checksum = 0;
    long half = 0;
    for (int i = 0; i < repetitions; i++) {
      if (i == repetitions / 2) half = onCpu();
      checksum = 31 * checksum + workload.run();
    }
    // The kernel's clock moves in steps of a few milliseconds: only the whole half is long enough to be measured.
    long steady = (onCpu() - half) / (repetitions - repetitions / 2);
    System.out.println("RESULT steady_ns=" + steady + " checksum=" + checksum);
  }
}
