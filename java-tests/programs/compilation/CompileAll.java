package compilation;

import java.io.File;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.lang.reflect.Executable;
import java.lang.reflect.Modifier;
import java.net.URI;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import jdk.test.whitebox.WhiteBox;

/**
 * Compiles every method of many classes with one compiler and lists the methods that it cannot compile:
 *
 *   java -Xbatch ... compilation.CompileAll RESULT LEVEL SOURCE...
 *
 * A SOURCE is a jar (also on the class path), "own:PATH" with a class path whose first jar is meant and gets its own
 * loader, "jrt:MODULE", or "jrt:MODULE/PACKAGE" with slashes in the package. "every:N" takes every N-th class of the
 * sources only. If the last one is "only:FILE", only the methods listed in the file are compiled, and each is announced
 * on stdout, so that the JVM's output about it can be found. With -Dcompilation.hold=true the program prints "ready" at its
 * end and waits for a line of input. RESULT gets the methods that were not compiled, and a last
 * line with totals.
 *
 * Querying the JVM about a method initialises its class. Classes that cannot be linked or initialised are left out.
 */
final class CompileAll {
  private static final WhiteBox VM = new WhiteBox();

  private final int level;
  private final Set<String> only;
  private final Set<String> refused = new TreeSet<>();
  private int classes;
  private int unlinked;
  private int methods;
  private int every = 1;
  private int seen;

  private CompileAll(int level, Set<String> only) {
    this.level = level;
    this.only = only;
  }

  public static void main(String[] arguments) throws IOException {
    List<String> sources = new ArrayList<>(List.of(arguments).subList(2, arguments.length));
    Set<String> only = null;
    if (sources.get(sources.size() - 1).startsWith("only:")) {
      only = new HashSet<>(Files.readAllLines(Path.of(sources.remove(sources.size() - 1).substring(5))));
    }
    CompileAll all = new CompileAll(Integer.parseInt(arguments[1]), only);
    for (String source : sources) all.compileSource(source);
    List<String> lines = new ArrayList<>(all.refused);
    lines.add("classes=" + all.classes + " unlinked=" + all.unlinked + " methods=" + all.methods + " refused=" + all.refused.size());
    Files.write(Path.of(arguments[0]), lines);
    if (Boolean.getBoolean("compilation.hold")) {
      System.out.println("ready");
      System.in.read();
    }
    // Initialisers may have started threads.
    System.exit(0);
  }

  private void compileSource(String source) throws IOException {
    ClassLoader loader = ClassLoader.getSystemClassLoader();
    Collection<String> names;
    if (source.startsWith("every:")) {
      every = Integer.parseInt(source.substring(6));
      return;
    } else if (source.startsWith("jrt:")) {
      names = ofModule(source.substring(4));
    } else if (source.startsWith("own:")) {
      List<URL> jars = new ArrayList<>();
      for (String jar : source.substring(4).split(File.pathSeparator)) jars.add(Path.of(jar).toUri().toURL());
      loader = new URLClassLoader(jars.toArray(new URL[0]), ClassLoader.getPlatformClassLoader());
      names = ofJar(source.substring(4).split(File.pathSeparator)[0]);
    } else {
      names = ofJar(source);
    }
    for (String name : names) {
      if (seen++ % every == 0) compile(name, loader);
    }
  }

  private static Collection<String> ofModule(String source) throws IOException {
    int slash = source.indexOf('/');
    String module = slash < 0 ? source : source.substring(0, slash);
    Path root = FileSystems.getFileSystem(URI.create("jrt:/")).getPath("modules", module);
    Set<String> names = new TreeSet<>();
    try (Stream<Path> files = slash < 0 ? Files.walk(root) : Files.list(root.resolve(source.substring(slash + 1)))) {
      files.forEach(file -> add(root.relativize(file).toString(), names));
    }
    return names;
  }

  private static Collection<String> ofJar(String jar) {
    Set<String> names = new TreeSet<>();
    try (ZipFile zip = new ZipFile(jar)) {
      for (ZipEntry entry : Collections.list(zip.entries())) add(entry.getName(), names);
    } catch (IOException failure) {
      throw new UncheckedIOException(jar, failure);
    }
    return names;
  }

  private static void add(String file, Set<String> names) {
    if (!file.endsWith(".class") || file.endsWith("-info.class") || file.startsWith("META-INF")) return;
    names.add(file.substring(0, file.length() - ".class".length()).replace('/', '.'));
  }

  private void compile(String name, ClassLoader loader) {
    List<Executable> found = new ArrayList<>();
    try {
      Class<?> type = Class.forName(name, false, loader);
      Collections.addAll(found, type.getDeclaredMethods());
      Collections.addAll(found, type.getDeclaredConstructors());
      found.removeIf(method -> (method.getModifiers() & (Modifier.ABSTRACT | Modifier.NATIVE)) != 0);
      if (!found.isEmpty()) VM.getMethodCompilationLevel0(found.get(0), false);
    } catch (ClassNotFoundException | Error | RuntimeException failure) {
      ++unlinked;
      return;
    }
    ++classes;
    found.forEach(this::compile);
  }

  private void compile(Executable method) {
    String name = method.toString();
    if (only != null) {
      if (!only.contains(name)) return;
      announce(name);
    }
    ++methods;
    boolean wanted = VM.isMethodCompilable0(method, level, false);
    if (wanted && VM.getMethodCompilationLevel0(method, false) != level) VM.enqueueMethodForCompilation0(method, level, -1);
    if (!wanted || VM.getMethodCompilationLevel0(method, false) != level) refused.add(name);
  }

  // Writes directly to the file that the JVM prints to.
  private static void announce(String name) {
    try (PrintStream out = new PrintStream(new FileOutputStream(FileDescriptor.out) {
      @Override
      public void close() {}
    }, true, StandardCharsets.UTF_8)) {
      out.println("COMPILING " + name);
    }
  }
}
