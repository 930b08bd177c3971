package sampling.chaos;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Everything that is hard on a sampler, at once: {@code Main SECONDS stop|exit [wait]}.
 *
 * <p>Each burden runs on its own thread and counts its rounds. If one of them completes no round for minutes, a
 * watchdog prints every thread's stack and ends the JVM with status 3. With {@code stop}, they are asked to end; with
 * {@code exit}, the JVM ends while they run. With {@code wait}, the time begins when stdin gets a byte. The last line
 * is "survived" if each completed a round and none failed.
 */
public final class Main {
  /** Long enough for a busy machine, short enough for a test. */
  private static final long PATIENCE_NS = TimeUnit.SECONDS.toNanos(120);

  private Main() {
  }

  public static void main(String[] args) throws InterruptedException, IOException {
    long nanos = TimeUnit.SECONDS.toNanos(Long.parseLong(args[0]));
    Map<String, Burden.Body> bodies = new LinkedHashMap<>();
    bodies.put("class loading", new ClassLoading());
    bodies.put("redefinition", new Redefinition());
    bodies.put("deoptimisation", new Deoptimisation());
    bodies.put("exceptions", new Exceptions());
    bodies.put("deep stacks", new DeepStacks());
    bodies.put("allocation", new Allocation());
    bodies.put("collections", new Collections());
    bodies.put("threads", new Threads());
    bodies.put("virtual threads", new VirtualThreads());
    bodies.put("stack dumps", new StackDumps());
    List<Burden> burdens = new ArrayList<>();
    bodies.forEach((name, body) -> burdens.add(new Burden(name, body)));

    startWatchdog(burdens);
    burdens.forEach(Burden::start);
    System.out.println("begun");
    if (args.length > 2) {
      System.in.read();
    }
    long end = System.nanoTime() + nanos;
    while (System.nanoTime() < end || burdens.stream().anyMatch(b -> b.rounds() == 0 && !b.ended())) {
      Thread.sleep(50);
    }
    if (args[1].equals("stop")) {
      burdens.forEach(Burden::askToEnd);
      for (Burden burden : burdens) {
        burden.join();
      }
    }
    boolean well = true;
    for (Burden burden : burdens) {
      System.out.println(burden);
      well &= burden.failure() == null && burden.rounds() > 0;
      if (burden.failure() != null) {
        burden.failure().printStackTrace();
      }
    }
    System.out.println(well ? "survived" : "failed");
    System.exit(well ? 0 : 1);
  }

  private static void startWatchdog(List<Burden> burdens) {
    Thread watchdog = new Thread(() -> {
      Map<Burden, Long> rounds = new LinkedHashMap<>();
      Map<Burden, Long> since = new LinkedHashMap<>();
      while (true) {
        for (Burden burden : burdens) {
          Long before = rounds.put(burden, burden.rounds());
          if (before == null || before != burden.rounds() || burden.ended()) {
            since.put(burden, System.nanoTime());
          } else if (System.nanoTime() - since.get(burden) > PATIENCE_NS) {
            complain(burden);
          }
        }
        try {
          Thread.sleep(1_000);
        } catch (InterruptedException never) {
          return;
        }
      }
    }, "watchdog");
    watchdog.setDaemon(true);
    watchdog.start();
  }

  private static void complain(Burden burden) {
    System.out.println("stuck: " + burden);
    Thread.getAllStackTraces().forEach((thread, stack) -> {
      System.out.println(thread);
      for (StackTraceElement frame : stack) {
        System.out.println("    at " + frame);
      }
    });
    System.out.flush();
    Runtime.getRuntime().halt(3);
  }
}
