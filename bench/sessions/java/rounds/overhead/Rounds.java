package overhead;

import java.io.BufferedReader;
import java.io.InputStreamReader;

/**
 * {@code Rounds CLASS [LIBRARY]}: runs a workload as often as each line of the input says, and answers with the CPU time of one
 * repetition in nanoseconds, without that of the JIT compilers. At the line "retransform", the library retransforms all classes
 * without changing them.
 */
public final class Rounds {
  private static native int retransform();

  public static void main(String[] args) throws Exception {
    if (args.length > 1) System.load(args[1]);
    Workload workload = (Workload) Class.forName("overhead." + args[0]).getDeclaredConstructor().newInstance();
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
    System.out.println("ready");
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      if (line.equals("retransform")) {
        System.out.println(retransform());
        continue;
      }
      int repetitions = Integer.parseInt(line);
      long before = CpuTime.exceptCompilersNs();
      long checksum = 0;
      for (int i = 0; i < repetitions; i++) checksum = 31 * checksum + workload.run();
      System.out.println((CpuTime.exceptCompilersNs() - before) / repetitions + " " + checksum);
    }
    System.exit(0);
  }
}
