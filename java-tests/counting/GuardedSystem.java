package counting;

import java.io.IOException;
import java.io.InputStream;

/** For -Djava.system.class.loader: has its own copies of this package's classes, and refuses unknown names. */
public final class GuardedSystem extends ClassLoader {
  public GuardedSystem(ClassLoader parent) {
    super(parent);
  }

  @Override
  protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
    if (name.contains("prof")) throw new ClassNotFoundException("not allowed: " + name);
    if (!name.startsWith("counting.") || name.equals(getClass().getName())) return super.loadClass(name, resolve);
    synchronized (getClassLoadingLock(name)) {
      Class<?> known = findLoadedClass(name);
      if (known != null) return known;
      try (InputStream in = getResourceAsStream(name.replace('.', '/') + ".class")) {
        if (in == null) throw new ClassNotFoundException(name);
        byte[] bytes = in.readAllBytes();
        return defineClass(name, bytes, 0, bytes.length);
      } catch (IOException e) {
        throw new ClassNotFoundException(name, e);
      }
    }
  }
}
