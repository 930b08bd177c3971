package verify;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * Usage: CompareJars ORIGINAL.jar REWRITTEN.jar [LIBRARIES]. Run with -Xverify:all. Links every class of both jars in
 * this JVM. Each class that links unchanged must link rewritten; a class that does not link unchanged must not get a
 * new verifier error. Prints each difference (with -Dverbose=y, also the outcome of every original class) and a last
 * line "classes=N ok=N refused=N unresolved=N failures=N"; exit code 1 if there are failures.
 */
public final class CompareJars {
  private CompareJars() {}

  public static void main(String[] args) throws IOException {
    String libraries = args.length > 2 ? args[2] : "";
    ArchiveLoader originals = new ArchiveLoader(args[0], libraries);
    ArchiveLoader rewritten = new ArchiveLoader(args[1], libraries);
    int ok = 0;
    int refused = 0;
    int unresolved = 0;
    List<String> failures = new ArrayList<>();
    for (String entry : originals.entries()) {
      String before = originals.outcome(entry);
      String after = rewritten.outcome(entry);
      if (Comparison.isFailure(before, after)) {
        failures.add(entry + ": untouched: " + before + "; rewritten: " + after);
      } else if (Comparison.isFailure(originals.strictOutcome(entry), rewritten.strictOutcome(entry))) {
        failures.add(entry + " as version 51: rewritten: " + rewritten.strictOutcome(entry));
      } else if (before.equals(Outcome.OK)) {
        ok++;
      } else if (Outcome.isVerdict(before)) {
        refused++;
      } else {
        unresolved++;
      }
    }
    if (System.getProperty("verbose") != null) {
      for (String entry : originals.entries()) System.out.println(entry + "\t" + originals.outcome(entry));
    }
    failures.forEach(line -> System.out.println("FAILURE " + line));
    System.out.printf("classes=%d ok=%d refused=%d unresolved=%d failures=%d%n", originals.entries().size(), ok,
        refused, unresolved, failures.size());
    System.exit(failures.isEmpty() ? 0 : 1);
  }
}
