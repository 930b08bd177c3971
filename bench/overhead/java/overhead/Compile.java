package overhead;

import java.io.File;
import java.util.ArrayList;
import java.util.List;
import javax.tools.Diagnostic;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/** The compiler itself, in process, on a fixed set of sources: {@code -Doverhead.sources=DIR -Doverhead.output=DIR}. */
final class Compile implements Workload {
  private final JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
  private final List<File> sources = new ArrayList<>();

  Compile() {
    File[] files = new File(System.getProperty("overhead.sources")).listFiles((dir, name) -> name.endsWith(".java"));
    java.util.Arrays.sort(files);
    sources.addAll(List.of(files));
  }

  @Override
  public long run() throws Exception {
    DiagnosticCollector<JavaFileObject> said = new DiagnosticCollector<>();
    try (StandardJavaFileManager files = compiler.getStandardFileManager(said, null, null)) {
      List<String> options = List.of("-proc:none", "-nowarn", "-encoding", "UTF-8", "-d", System.getProperty("overhead.output"));
      boolean compiled = compiler.getTask(null, files, said, options, null, files.getJavaFileObjectsFromFiles(sources)).call();
      if (!compiled) throw new IllegalStateException(said.getDiagnostics().toString());
    }
    return said.getDiagnostics().stream().filter(d -> d.getKind() == Diagnostic.Kind.ERROR).count();
  }
}
