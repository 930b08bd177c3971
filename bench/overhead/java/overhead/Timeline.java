package overhead;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Notes about once a second how much work is done and what CPU time it took: with {@code -Doverhead.timeline=FILE}, a
 * row of numbers each time, {@code epoch_ms repetitions program_ns compilers_ns agent_ns}. With {@code
 * -Doverhead.seconds=N}, the program ends after so much CPU time of its own threads; so a busy machine does not end it early.
 */
final class Timeline {
  private static final long SECOND_NS = 1_000_000_000;

  private final PrintWriter out; // null: no rows
  private final long mostNs = Long.getLong("overhead.seconds", Integer.MAX_VALUE) * SECOND_NS;
  private long next = System.nanoTime() + SECOND_NS;
  private long programNs; // at the last row
  private int noted;

  Timeline() throws IOException {
    String file = System.getProperty("overhead.timeline");
    out = file == null ? null : new PrintWriter(Files.newBufferedWriter(Path.of(file)));
    write(0);
  }

  boolean goesOn() {
    return programNs < mostNs;
  }

  /** After each repetition. */
  void note(int repetitions) throws IOException {
    if (out == null || System.nanoTime() - next < 0) return;
    next = System.nanoTime() + SECOND_NS;
    write(repetitions);
  }

  /** After the last one. */
  void end(int repetitions) throws IOException {
    if (repetitions > noted) write(repetitions);
    if (out != null) out.close();
  }

  private void write(int repetitions) throws IOException {
    if (out == null) return;
    CpuTime.Threads threads = CpuTime.ofThreads();
    programNs = threads.programNs();
    out.println(System.currentTimeMillis() + " " + repetitions + " " + threads.programNs() + " " + threads.compilersNs()
        + " " + threads.agentNs());
    noted = repetitions;
  }
}
