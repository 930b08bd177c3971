package counting;

import java.io.IOException;
import java.util.Set;
import java.util.TreeSet;

/** For -Djava.system.class.loader: notes every name that it is asked for, and the program prints them at its end. */
public final class AskedSystem extends ClassLoader {
  private static final Set<String> ASKED = new TreeSet<>();

  public AskedSystem(ClassLoader parent) {
    super(parent);
  }

  @Override
  protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
    synchronized (ASKED) {
      ASKED.add(name);
    }
    return super.loadClass(name, resolve);
  }

  /** Prints "ready" and waits for a line first. */
  public static void main(String[] args) throws IOException {
    System.out.println("ready");
    System.in.read();
    synchronized (ASKED) {
      ASKED.forEach(System.out::println);
    }
  }
}
