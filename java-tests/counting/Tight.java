package counting;

import counting.Nodes.Node;
import java.lang.invoke.MethodHandles;

/**
 * Loads and unloads classes, with as little heap and metaspace as suffices without the agent. Arguments: the kind
 * ("fat": loaders whose class has static data of 4 MB; "loaders": classes with the same name; "hidden": hidden classes;
 * "names": classes with different names), and how many.
 */
public final class Tight {
  /** Loaded by custom loaders, from its bytes. */
  public static final class Fat implements Node {
    private static final byte[] CACHE = new byte[4 << 20];

    @Override
    public int value() {
      return CACHE.length;
    }
  }

  private static int use(Node node) {
    return node.value();
  }

  private static Node made(Class<?> type) throws ReflectiveOperationException {
    return (Node) type.getConstructor().newInstance();
  }

  /** A class with about forty methods, so that it uses metaspace. */
  private static byte[] bytes(String name) {
    ByteCode b = new ByteCode(name, "java/lang/Object", "counting/Nodes$Node");
    b.constructor();
    b.method(0x0001, "value", "()I", 1, 1, b.code().op(8, 0xac)); // iconst_5, ireturn
    for (int m = 0; m < 40; m++) {
      ByteCode.Code c = b.code();
      for (int i = 0; i < 5; i++) {
        ByteCode.Label next = new ByteCode.Label();
        c.op(0x1a); // iload_0
        c.jump(0x99, next); // ifeq
        c.op(0x84, 0, 1); // iinc 0 1
        c.bind(next);
      }
      b.method("more" + m, "(I)I", 1, 1, c.op(0x1a, 0xac));
    }
    return b.finish();
  }

  public static void main(String[] args) throws Exception {
    String what = args[0];
    int n = Integer.parseInt(args[1]);
    String fat = Fat.class.getName();
    byte[] fatBytes;
    try (var in = Tight.class.getResourceAsStream("Tight$Fat.class")) {
      fatBytes = in.readAllBytes();
    }
    String here = "counting.TightHidden", there = "counting.made.Tight";
    byte[] hidden = bytes(here), plain = bytes(there);
    long sum = 0;
    for (int i = 0; i < n; i++) {
      sum += use(made(switch (what) {
        case "fat" -> new Generated.Loader().define(fat, fatBytes);
        case "loaders" -> new Generated.Loader().define(there, plain);
        case "hidden" -> MethodHandles.lookup().defineHiddenClass(hidden, true).lookupClass();
        case "names" -> new Generated.Loader().define(there + i, bytes(there + i));
        default -> throw new IllegalArgumentException(what);
      }));
    }
    System.out.println("used " + n + ", sum " + sum);
  }

  private Tight() {}
}
