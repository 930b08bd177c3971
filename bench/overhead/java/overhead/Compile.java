package overhead;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.Diagnostic;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/**
 * The compiler itself, in process, on the sources below a folder, or the first of them:
 * {@code -Doverhead.sources=DIR -Doverhead.output=DIR -Doverhead.files=N}.
 */
final class Compile implements Workload {
  private final JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
  private final List<Path> sources = sources();

  /** The Java files, in the order of their names. */
  static List<Path> sources() {
    try (Stream<Path> all = Files.walk(Path.of(System.getProperty("overhead.sources")))) {
      return all.filter(path -> path.toString().endsWith(".java")).sorted()
          .limit(Long.getLong("overhead.files", Long.MAX_VALUE)).collect(Collectors.toList());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public long run() throws Exception {
    DiagnosticCollector<JavaFileObject> said = new DiagnosticCollector<>();
    try (StandardJavaFileManager files = compiler.getStandardFileManager(said, null, null)) {
      List<String> options = List.of("-proc:none", "-nowarn", "-encoding", "UTF-8", "-sourcepath",
          System.getProperty("overhead.sources"), "-d", System.getProperty("overhead.output"));
      boolean compiled = compiler.getTask(null, files, said, options, null, files.getJavaFileObjectsFromPaths(sources)).call();
      if (!compiled) throw new IllegalStateException(said.getDiagnostics().toString());
    }
    return said.getDiagnostics().stream().filter(d -> d.getKind() == Diagnostic.Kind.ERROR).count();
  }
}
