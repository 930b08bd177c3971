package verify;

import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

/**
 * Defines the classes of one jar, independent of any other class path. Missing classes that the jar refers to are
 * generated (an empty class if something extends it, otherwise an empty interface), so that a missing dependency does
 * not keep the verifier from checking methods. Both sides of a comparison get the same generated classes.
 */
final class ArchiveLoader extends ClassLoader {
  private final Map<String, byte[]> byName = new HashMap<>();
  private final Map<String, byte[]> byEntry = new LinkedHashMap<>();
  private final Set<String> superNames = new HashSet<>();

  /** The jar's classes. Its libraries (paths joined by colons, or empty) are searched before a class is generated. */
  ArchiveLoader(String jar, String libraries) throws IOException {
    super(new URLClassLoader(urls(libraries), ClassLoader.getPlatformClassLoader()));
    try (ZipFile zip = new ZipFile(jar)) {
      for (ZipEntry entry : Collections.list(zip.entries())) {
        if (!entry.getName().endsWith(".class") || entry.getName().endsWith("module-info.class")) continue;
        byte[] bytes;
        try (InputStream in = zip.getInputStream(entry)) {
          bytes = in.readAllBytes();
        }
        ClassFileName names = ClassFileName.of(bytes);
        byEntry.put(entry.getName(), bytes);
        if (names.superName != null) superNames.add(names.superName);
        if (entry.getName().equals(String.valueOf(names.name).replace('.', '/') + ".class")) {
          byName.put(names.name, bytes);
        }
      }
    }
  }

  private static URL[] urls(String libraries) throws IOException {
    List<URL> urls = new ArrayList<>();
    for (String library : libraries.split(":")) {
      if (!library.isEmpty()) urls.add(Path.of(library).toUri().toURL());
    }
    return urls.toArray(new URL[0]);
  }

  Set<String> entries() {
    return byEntry.keySet();
  }

  /** The outcome for the class in that entry of the jar. */
  String outcome(String entry) {
    byte[] bytes = byEntry.get(entry);
    if (bytes == null) return "not in the jar";
    String name = ClassFileName.of(bytes).name;
    if (name != null && byName.get(name) == bytes) return Outcome.ofLinking(() -> loadClass(name));
    return outcomeAlone(name, bytes);
  }

  /**
   * The outcome with version 51. If a class of version 50 has a wrong stack map, the JVM does not refuse it but uses
   * the old verifier; with version 51, the verifier is as strict as with newer classes.
   */
  String strictOutcome(String entry) {
    byte[] bytes = byEntry.get(entry);
    if (bytes == null || bytes.length < 8 || bytes[6] != 0 || bytes[7] != 50) return outcome(entry);
    byte[] raised = bytes.clone();
    raised[7] = 51;
    return outcomeAlone(ClassFileName.of(bytes).name, raised);
  }

  // An entry with another name (a multi-release version, a damaged class) gets its own loader.
  private String outcomeAlone(String name, byte[] bytes) {
    ClassLoader alone = new ClassLoader(this) {
      @Override
      protected Class<?> loadClass(String wanted, boolean resolve) throws ClassNotFoundException {
        if (!wanted.equals(name)) return super.loadClass(wanted, resolve);
        Class<?> loaded = findLoadedClass(wanted);
        return loaded != null ? loaded : defineClass(name, bytes, 0, bytes.length);
      }

      @Override
      protected Class<?> findClass(String wanted) {
        return defineClass(null, bytes, 0, bytes.length);
      }
    };
    return Outcome.ofLinking(() -> name != null ? alone.loadClass(name) : alone.loadClass("\0damaged"));
  }

  @Override
  protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
    synchronized (getClassLoadingLock(name)) {
      Class<?> loaded = findLoadedClass(name);
      if (loaded != null) return loaded;
      byte[] bytes = byName.get(name);
      if (bytes != null && !name.startsWith("java.")) return defineClass(name, bytes, 0, bytes.length);
      if (name.startsWith("\0")) throw new ClassNotFoundException(name);
      try {
        return super.loadClass(name, resolve);
      } catch (ClassNotFoundException missing) {
        if (name.startsWith("java.")) throw missing;
        byte[] stub = ClassFileName.stub(name, superNames.contains(name));
        return defineClass(name, stub, 0, stub.length);
      }
    }
  }
}
