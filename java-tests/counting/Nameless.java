package counting;

import counting.Expect.Tally;
import counting.Nodes.Node;
import java.lang.invoke.MethodHandles;

/**
 * Receivers whose classes have no name that an image could know: hidden classes of the program, and one that looks like
 * a lambda but calls nothing. Prints what each site saw, without such objects.
 */
public final class Nameless {
  /** The bytes of this class define a hidden class. */
  private static Node hidden(String name) throws ReflectiveOperationException {
    Class<?> type = MethodHandles.lookup().defineHiddenClass(Nodes.bytes(name, 1), true).lookupClass();
    return (Node) type.getConstructor().newInstance();
  }

  private static Node plain() {
    return new Node() {
      @Override
      public int value() {
        return 2;
      }
    };
  }

  private static int only(Node node) {
    return node.value(); // @only
  }

  private static int half(Node node) {
    return node.value(); // @half
  }

  private static int few(Node node) {
    return node.value(); // @few
  }

  private static int lambdas(Node node) {
    return node.value(); // @lambdas
  }

  private static int reflection(Node node) {
    return node.value(); // @reflection
  }

  public static void main(String[] args) throws Exception {
    Node hid = hidden("counting.NamelessHidden");
    Node shaped = hidden("counting.Nameless$$Lambda$1");
    Node plain = plain();
    Tally half = new Tally(), few = new Tally(), reflection = new Tally();
    long sum = 0;
    for (int i = 0; i < 1000; i++) {
      sum += only(hid) + lambdas(shaped);
      sum += half(i % 2 == 0 ? hid : plain);
      sum += few(i % 100 == 0 ? hid : plain);
      if (i % 2 != 0) half.add(plain);
      if (i % 100 != 0) few.add(plain);
    }
    java.lang.reflect.Method method = Node.class.getMethod("value");
    for (int i = 0; i < 100; i++) sum += (Integer) method.invoke(plain);
    sum += reflection(plain);
    reflection.add(plain);
    System.out.println("sum " + sum);
    Expect e = new Expect(Nameless.class);
    e.receivers("few", few);
    e.receivers("half", half);
    e.receivers("reflection", reflection);
    Expect.print();
  }

  private Nameless() {}
}
