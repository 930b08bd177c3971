package sampling;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/** Runs javac over the same sources until the CPU time is used up. Arguments: milliseconds, output folder, sources. */
public final class Compile {
  public static void main(String[] args) throws Exception {
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    List<Path> sources = Arrays.stream(args).skip(2).map(Path::of).toList();
    Clock clock = new Clock(args);
    int rounds = 0;
    while (clock.running()) {
      try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
        if (!compiler
            .getTask(null, files, null, List.of("-d", args[1], "-proc:none"), null,
                files.getJavaFileObjectsFromPaths(sources))
            .call()) {
          throw new AssertionError("the sources do not compile");
        }
      }
      rounds++;
    }
    System.out.println("rounds " + rounds);
  }
}
