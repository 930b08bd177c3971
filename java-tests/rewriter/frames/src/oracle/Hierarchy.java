package oracle;

import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.Opcodes;

/** Finds superclasses by reading class files from jars and from the running JVM; no class is loaded. */
final class Hierarchy {
  record Info(String superName, boolean isInterface) {}

  /** Thrown if the result depends on a missing class. */
  static final class Unknown extends RuntimeException {
    private static final long serialVersionUID = 1;

    Unknown(String name) {
      super(name, null, false, false);
    }
  }

  private final Map<String, byte[]> jars = new HashMap<>();
  private final Map<String, Path> platform = new HashMap<>();
  private final Map<String, Optional<Info>> infos = new HashMap<>();

  Hierarchy(List<String> jarNames) throws IOException {
    Path modules = FileSystems.getFileSystem(URI.create("jrt:/")).getPath("modules");
    try (Stream<Path> files = Files.walk(modules)) {
      files.filter(p -> p.toString().endsWith(".class")).forEach(p -> {
        String name = p.subpath(2, p.getNameCount()).toString();
        platform.put(name.substring(0, name.length() - 6), p);
      });
    }
    for (String jar : jarNames) {
      try (ZipFile zip = new ZipFile(jar)) {
        for (ZipEntry entry : Collections.list(zip.entries())) {
          if (!entry.getName().endsWith(".class")) continue;
          try (InputStream in = zip.getInputStream(entry)) {
            jars.put(entry.getName().substring(0, entry.getName().length() - 6), in.readAllBytes());
          }
        }
      }
    }
  }

  private Info info(String name) {
    return infos.computeIfAbsent(name, n -> {
      try {
        byte[] bytes = jars.get(n);
        if (bytes == null && platform.containsKey(n)) bytes = Files.readAllBytes(platform.get(n));
        if (bytes == null) return Optional.empty();
        ClassReader reader = new ClassReader(bytes);
        return Optional.of(new Info(reader.getSuperName(), (reader.getAccess() & Opcodes.ACC_INTERFACE) != 0));
      } catch (IOException | RuntimeException unreadable) {
        return Optional.empty();
      }
    }).orElseThrow(() -> new Unknown(name));
  }

  private List<String> ancestors(String name) {
    List<String> all = new ArrayList<>();
    for (String at = name; at != null; at = info(at).superName()) all.add(at);
    return all;
  }

  /** Merges types like the verifier: interfaces count as Object. */
  String commonSuperClass(String a, String b) {
    if (a.equals(b)) return a;
    if (info(a).isInterface() || info(b).isInterface()) return "java/lang/Object";
    List<String> ofB = ancestors(b);
    for (String candidate : ancestors(a)) {
      if (ofB.contains(candidate)) return candidate;
    }
    return "java/lang/Object";
  }

  /**
   * Assignability as in the verifier: anything may be assigned to an interface. Internal names; descriptors for arrays.
   */
  boolean isAssignable(String from, String to) {
    if (from.equals(to) || to.equals("java/lang/Object")) return true;
    if (to.startsWith("[")) {
      if (!from.startsWith("[")) return false;
      String fromElement = from.substring(1);
      String toElement = to.substring(1);
      if (fromElement.equals(toElement)) return true;
      if (!isReference(fromElement) || !isReference(toElement)) return false;
      return isAssignable(internal(fromElement), internal(toElement));
    }
    if (from.startsWith("[")) return to.equals("java/lang/Cloneable") || to.equals("java/io/Serializable");
    return info(to).isInterface() || ancestors(from).contains(to);
  }

  private static boolean isReference(String descriptor) {
    return descriptor.startsWith("[") || descriptor.startsWith("L");
  }

  private static String internal(String descriptor) {
    return descriptor.startsWith("L") ? descriptor.substring(1, descriptor.length() - 1) : descriptor;
  }
}
