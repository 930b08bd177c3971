package behaviour25;

import behaviour.Sink;
import java.util.List;

/** Pattern switches with guards and nested record patterns. */
final class JavaPatterns {
  sealed interface Node permits Leaf, Pair, Word {}

  record Leaf(int value) implements Node {}

  record Pair(Node left, Node right) implements Node {}

  record Word(String text) implements Node {}

  enum Size { SMALL, LARGE }

  private static long sum(Node node) {
    return switch (node) {
      case null -> -1;
      case Leaf(int v) when v > 100 -> 100;
      case Leaf(int v) -> v;
      case Pair(Leaf(int a), Leaf(int b)) when a == b -> 2L * a;
      case Pair(Node a, Node b) -> sum(a) * 3 + sum(b);
      case Word w when w.text().isEmpty() -> 0;
      case Word(var text) -> text.length();
    };
  }

  static void tRecordPatterns() {
    Node deep = new Pair(new Pair(new Leaf(4), new Leaf(4)), new Pair(new Word("abc"), new Leaf(500)));
    for (Node node : new Node[] {deep, new Leaf(3), new Word(""), new Pair(new Leaf(1), null), null}) {
      Sink.j(sum(node));
    }
  }

  private static String describe(Object o) {
    return switch (o) {
      case Integer i when i > 10 -> "large " + i;
      case Integer i -> "int " + i;
      case String s when s.length() > 3 -> "long " + s;
      case String s -> "text " + s;
      case Size.SMALL -> "small";
      case Size size -> "size " + size;
      case int[] array when array.length > 1 -> "array " + array[1];
      case List<?> list -> "list " + list.size();
      default -> "other";
    };
  }

  static void tTypePatterns() {
    for (Object o : new Object[] {5, 50, "a", "abcd", Size.SMALL, Size.LARGE, new int[] {1, 2}, new int[0],
        List.of(1, 2, 3), 2.5}) {
      Sink.a(describe(o));
    }
  }
}
