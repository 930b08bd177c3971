package counting;

import java.lang.invoke.MethodHandles;

/** Thousands of classes that implement one interface, in the application's loader or each in a separate loader. */
public final class Nodes {
  public interface Node {
    int value();
  }

  private static final int SIPUSH = 0x11, IRETURN = 0xac;

  /** A class whose value() is `value`. */
  static byte[] bytes(String name, int value) {
    ByteCode b = new ByteCode(name, "java/lang/Object", "counting/Nodes$Node");
    b.constructor();
    b.method(0x0001, "value", "()I", 1, 1, b.code().op(SIPUSH).u2(value).op(IRETURN));
    return b.finish();
  }

  private static Node make(Class<?> type) throws ReflectiveOperationException {
    return (Node) type.getConstructor().newInstance();
  }

  /** An object of each of n new classes of the application's loader, which stay until the program ends. */
  static Node[] ofOneLoader(String prefix, int n) throws ReflectiveOperationException {
    Node[] nodes = new Node[n];
    for (int i = 0; i < n; i++) {
      nodes[i] = make(MethodHandles.lookup().defineClass(bytes("counting." + prefix + i, i)));
    }
    return nodes;
  }

  /** The same, each in a loader that may be dropped. */
  static Node[] ofManyLoaders(String prefix, int n) throws ReflectiveOperationException {
    Node[] nodes = new Node[n];
    for (int i = 0; i < n; i++) {
      String name = "counting.made." + prefix + i;
      nodes[i] = make(new Generated.Loader().define(name, bytes(name, i)));
    }
    return nodes;
  }

  /** Numbers below n: round-robin, or small ones more often than others. */
  static final class Draw {
    private final int n;
    private final boolean skewed;
    private long state = 42;
    private int next;

    Draw(int n, boolean skewed) {
      this.n = n;
      this.skewed = skewed;
    }

    int next() {
      if (!skewed) {
        next = next + 1 < n ? next + 1 : 0;
        return next;
      }
      state = state * 6364136223846793005L + 1442695040888963407L;
      double u = (state >>> 11) * 0x1p-53;
      return (int) (n * u * u * u);
    }
  }

  private Nodes() {}
}
