package verify;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;

/** Usage: CompareOutcomes UNTOUCHED REWRITTEN, two files of LinkModules. Prints the same as {@link CompareJars}. */
public final class CompareOutcomes {
  private CompareOutcomes() {}

  public static void main(String[] args) throws IOException {
    Map<String, String> before = read(args[0]);
    Map<String, String> after = read(args[1]);
    int ok = 0;
    int refused = 0;
    int unresolved = 0;
    int failures = 0;
    for (Map.Entry<String, String> entry : before.entrySet()) {
      String rewritten = after.getOrDefault(entry.getKey(), "not reached");
      if (Comparison.isFailure(entry.getValue(), rewritten)) {
        failures++;
        System.out.println(
            "FAILURE " + entry.getKey() + ": untouched: " + entry.getValue() + "; rewritten: " + rewritten);
      } else if (entry.getValue().equals(Outcome.OK)) {
        ok++;
      } else if (Outcome.isVerdict(entry.getValue())) {
        refused++;
      } else {
        unresolved++;
      }
    }
    System.out.printf(
        "classes=%d ok=%d refused=%d unresolved=%d failures=%d%n", before.size(), ok, refused, unresolved, failures);
    System.exit(failures == 0 ? 0 : 1);
  }

  private static Map<String, String> read(String file) throws IOException {
    Map<String, String> outcomes = new TreeMap<>();
    for (String line : Files.readAllLines(Path.of(file))) {
      int tab = line.indexOf('\t');
      outcomes.put(line.substring(0, tab), line.substring(tab + 1));
    }
    return outcomes;
  }
}
