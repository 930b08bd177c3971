package verify;

import java.io.IOException;
import java.io.PrintStream;
import java.net.URI;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/**
 * Usage: LinkModules OUT MODULE... Run with -Xverify:all --add-modules ALL-SYSTEM, with or without --patch-module.
 * Links every class of these modules of this JVM, including those of the boot and platform loaders, and writes lines
 * "module/class TAB outcome" to OUT. There is no other way to test the JVM's own classes, because our class loaders
 * cannot define java.* classes.
 */
public final class LinkModules {
  private LinkModules() {}

  public static void main(String[] args) throws IOException {
    FileSystem image = FileSystems.getFileSystem(URI.create("jrt:/"));
    try (PrintStream out = new PrintStream(args[0], "UTF-8")) {
      for (Module module : modules(List.of(args).subList(1, args.length))) {
        Path root = image.getPath("modules", module.getName());
        List<Path> files;
        try (Stream<Path> walk = Files.walk(root)) {
          files = walk.filter(p -> p.toString().endsWith(".class")).sorted().toList();
        }
        for (Path file : files) {
          String path = root.relativize(file).toString();
          if (path.endsWith("module-info.class")) continue;
          String name = path.substring(0, path.length() - 6).replace('/', '.');
          out.println(module.getName() + "/" + name + "\t" + Outcome.ofLinking(() -> Class.forName(module, name)));
        }
      }
    }
  }

  private static List<Module> modules(List<String> names) {
    return ModuleLayer.boot().modules().stream()
        .filter(module -> names.contains(module.getName()))
        .sorted(Comparator.comparing(Module::getName))
        .toList();
  }
}
