package sampling;

import java.net.URI;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * Ends with a full heap while threads create classes of arrays. HotSpot stops its collectors before it informs
 * agents. From then on, threads that wait for memory wait forever. Here most of them wait within HotSpot's lock for
 * classes of arrays, which is also needed to list the loaded classes.
 */
public final class FullEnding {
  private static volatile Object kept;
  private static volatile boolean begun;

  private FullEnding() {
  }

  private static void fill() {
    for (;;) {
      kept = new byte[10_000];
    }
  }

  // Almost all memory that this thread asks for is for the mirrors of new classes.
  private static void create(List<Class<?>> elements) {
    begun = true;
    for (Class<?> element : elements) {
      Class<?> array = element;
      for (int dimensions = 1; dimensions < 255; dimensions++) {
        array = array.arrayType();
      }
    }
  }

  private static Class<?> load(Path file, Path module) {
    String name = module.relativize(file).toString().replace('/', '.');
    try {
      return Class.forName(name.substring(0, name.length() - ".class".length()), false, null);
    } catch (ClassNotFoundException | LinkageError e) {
      return null;
    }
  }

  private static List<Class<?>> someClasses() throws Exception {
    Path module = FileSystems.getFileSystem(URI.create("jrt:/")).getPath("/modules/java.base");
    List<Class<?>> found = new ArrayList<>();
    try (Stream<Path> files = Files.walk(module.resolve("java/util"))) {
      for (Path file : (Iterable<Path>) files.filter(f -> f.toString().endsWith(".class"))::iterator) {
        Class<?> loaded = load(file, module);
        if (loaded != null) {
          found.add(loaded);
        }
      }
    }
    return found;
  }

  private static void start(Runnable body) {
    Thread thread = new Thread(body);
    thread.setDaemon(true);
    thread.start();
  }

  public static void main(String[] args) throws Exception {
    List<Class<?>> elements = someClasses();
    start(() -> create(elements));
    while (!begun) {
      Thread.onSpinWait();
    }
    start(FullEnding::fill);
    start(FullEnding::fill);
    System.exit(0);
  }
}
