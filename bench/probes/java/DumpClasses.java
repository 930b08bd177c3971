import java.io.IOException;
import java.io.InputStream;
import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.ProtectionDomain;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A Java agent that writes the class files of all classes that a program has loaded at its end, to
 * the folder that its argument names. A class that the program has generated has no file; its bytes
 * are those that it was defined with. Hidden classes are left out.
 */
public final class DumpClasses implements ClassFileTransformer {
  private static final Map<String, byte[]> DEFINED = new ConcurrentHashMap<>();

  public static void premain(String folder, Instrumentation instrumentation) {
    instrumentation.addTransformer(new DumpClasses());
    Runtime.getRuntime().addShutdownHook(new Thread(() -> {
      for (Class<?> type : instrumentation.getAllLoadedClasses()) {
        if (!type.isArray() && !type.isPrimitive() && !type.isHidden()) write(Path.of(folder), type);
      }
    }));
  }

  @Override
  public byte[] transform(ClassLoader loader, String name, Class<?> redefined, ProtectionDomain domain, byte[] bytes) {
    if (name != null) DEFINED.putIfAbsent(name, bytes.clone());
    return null;
  }

  private static void write(Path folder, Class<?> type) {
    String name = type.getName().replace('.', '/');
    try (InputStream in = type.getModule().getResourceAsStream(name + ".class")) {
      byte[] bytes = DEFINED.containsKey(name) ? DEFINED.get(name) : in == null ? null : in.readAllBytes();
      if (bytes == null) return;
      Path file = folder.resolve(name + ".class");
      Files.createDirectories(file.getParent());
      Files.write(file, bytes);
    } catch (IOException e) {
      System.err.println("DumpClasses: " + name + ": " + e);
    }
  }
}
