import java.lang.management.ManagementFactory;
import java.util.TreeSet;

/** Prints which threads it sees, once at its start and once for each line that it reads. */
public final class SeenThreads {
  private static ThreadGroup root() {
    ThreadGroup group = Thread.currentThread().getThreadGroup();
    while (group.getParent() != null) {
      group = group.getParent();
    }
    return group;
  }

  private static TreeSet<String> inGroups() {
    Thread[] some = new Thread[100];
    int count = root().enumerate(some);
    TreeSet<String> names = new TreeSet<>();
    for (int i = 0; i < count; i++) {
      names.add(some[i].getName());
    }
    return names;
  }

  private static TreeSet<String> withStacks() {
    TreeSet<String> names = new TreeSet<>();
    for (Thread thread : Thread.getAllStackTraces().keySet()) {
      names.add(thread.getName());
    }
    return names;
  }

  private static Integer managed() {
    try {
      return ManagementFactory.getThreadMXBean().getThreadCount();
    } catch (NoClassDefFoundError e) {
      return null; // a JVM without the module
    }
  }

  public static void main(String[] args) throws java.io.IOException {
    managed(); // loads the classes, whose first use may start threads
    do {
      System.out.println("active " + Thread.activeCount() + " groups " + inGroups() + " stacks " + withStacks() + " managed " + managed());
      System.out.println("ready");
    } while (System.in.read() > 0);
  }
}
