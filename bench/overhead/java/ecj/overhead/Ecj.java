package overhead;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.List;
import org.eclipse.jdt.core.compiler.batch.BatchCompiler;

/** Eclipse's compiler, which needs no JDK, on the sources below a folder: {@code -Doverhead.sources=DIR}. */
final class Ecj implements Workload {
  @Override
  public long run() {
    List<String> options = new ArrayList<>(List.of("-17", "-proc:none", "-nowarn", "-encoding", "UTF-8", "-d", "none"));
    Compile.sources().forEach(file -> options.add(file.toString()));
    StringWriter said = new StringWriter();
    PrintWriter out = new PrintWriter(said);
    if (!BatchCompiler.compile(options.toArray(new String[0]), out, out, null)) throw new IllegalStateException(said.toString());
    return options.size();
  }
}
