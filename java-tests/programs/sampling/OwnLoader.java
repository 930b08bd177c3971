package sampling;

import java.io.File;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.Arrays;

/** Runs the main method of a class that a loader of its own has loaded. Such a class may be unloaded. */
public final class OwnLoader {
  public static void main(String[] args) throws Exception {
    String[] path = System.getProperty("java.class.path").split(File.pathSeparator);
    URL[] urls = new URL[path.length];
    for (int i = 0; i < path.length; i++) {
      urls[i] = url(path[i]);
    }
    try (URLClassLoader loader = new URLClassLoader(urls, ClassLoader.getPlatformClassLoader())) {
      Class<?> type = loader.loadClass(args[0]);
      Object rest = Arrays.copyOfRange(args, 1, args.length);
      type.getMethod("main", String[].class).invoke(null, rest);
    }
  }

  private static URL url(String path) throws MalformedURLException {
    return new File(path).toURI().toURL();
  }

  private OwnLoader() {}
}
