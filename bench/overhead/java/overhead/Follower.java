package overhead;

import java.io.BufferedReader;
import java.lang.instrument.Instrumentation;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * An agent that changes no class. It swaps the classes that another JVM swaps, in the same groups, as soon as the log of that JVM has
 * them: {@code -javaagent:JAR=LOG}, and {@code -Xlog:redefine+class+load=info,redefine+class+timer=info:file=LOG:none} there. So it shows what
 * swapping alone costs.
 */
public final class Follower {
  private static final long LOOK_MS = 20;
  private static final Pattern CLASS = Pattern.compile("redefined (?:name=)?(\\S+), count=.*");
  private static final String END_OF_GROUP = "vm_op: all=";

  public static void premain(String log, Instrumentation jvm) {
    Thread thread = new Thread(() -> follow(Path.of(log), jvm), "iprof follower");
    thread.setDaemon(true);
    thread.start();
  }

  private static void follow(Path log, Instrumentation jvm) {
    try {
      while (!Files.exists(log)) Thread.sleep(LOOK_MS);
      try (BufferedReader lines = Files.newBufferedReader(log)) {
        Set<String> group = new HashSet<>();
        StringBuilder line = new StringBuilder();
        while (true) {
          int next = lines.read();
          if (next < 0) {
            Thread.sleep(LOOK_MS);
          } else if (next != '\n') {
            line.append((char) next);
          } else {
            note(line.toString(), group, jvm);
            line.setLength(0);
          }
        }
      }
    } catch (Exception e) {
      // The run must not count as one that followed.
      e.printStackTrace();
      Runtime.getRuntime().halt(1);
    }
  }

  private static void note(String line, Set<String> group, Instrumentation jvm) throws Exception {
    Matcher named = CLASS.matcher(line);
    if (named.matches()) {
      group.add(named.group(1));
    } else if (line.startsWith(END_OF_GROUP)) {
      List<Class<?>> classes = new ArrayList<>();
      for (Class<?> loaded : jvm.getAllLoadedClasses()) {
        if (group.contains(loaded.getName()) && jvm.isModifiableClass(loaded)) classes.add(loaded);
      }
      group.clear();
      if (!classes.isEmpty()) jvm.retransformClasses(classes.toArray(new Class<?>[0]));
    }
  }

  private Follower() {}
}
