package overhead;

import java.util.Random;

/** Evaluates and prints expression trees of ten classes: nearly every instruction is a call with many targets. */
final class Megamorphic implements Workload {
  private abstract static class Node {
    abstract int value(int x);

    int depth() { return 1; }
  }

  private abstract static class Two extends Node {
    final Node left;
    final Node right;

    Two(Node left, Node right) {
      this.left = left;
      this.right = right;
    }

    @Override int depth() { return 1 + Math.max(left.depth(), right.depth()); }
  }

  private static final class Constant extends Node {
    final int constant;

    Constant(int constant) { this.constant = constant; }
    @Override int value(int x) { return constant; }
  }

  private static final class Variable extends Node {
    @Override int value(int x) { return x; }
  }

  private static final class Not extends Node {
    final Node of;

    Not(Node of) { this.of = of; }
    @Override int value(int x) { return ~of.value(x); }
    @Override int depth() { return 1 + of.depth(); }
  }

  private static final class Plus extends Two {
    Plus(Node left, Node right) { super(left, right); }
    @Override int value(int x) { return left.value(x) + right.value(x); }
  }

  private static final class Minus extends Two {
    Minus(Node left, Node right) { super(left, right); }
    @Override int value(int x) { return left.value(x) - right.value(x); }
  }

  private static final class Times extends Two {
    Times(Node left, Node right) { super(left, right); }
    @Override int value(int x) { return left.value(x) * right.value(x); }
  }

  private static final class And extends Two {
    And(Node left, Node right) { super(left, right); }
    @Override int value(int x) { return left.value(x) & right.value(x); }
  }

  private static final class Or extends Two {
    Or(Node left, Node right) { super(left, right); }
    @Override int value(int x) { return left.value(x) | right.value(x); }
  }

  private static final class Either extends Two {
    Either(Node left, Node right) { super(left, right); }
    @Override int value(int x) { return left.value(x) ^ right.value(x); }
  }

  private static final class Less extends Two {
    Less(Node left, Node right) { super(left, right); }
    @Override int value(int x) { return left.value(x) < right.value(x) ? 1 : 0; }
  }

  private final Node[] trees = new Node[64];

  Megamorphic() {
    Random random = new Random(11);
    for (int i = 0; i < trees.length; i++) trees[i] = tree(random, 8);
  }

  private static Node tree(Random random, int depth) {
    if (depth == 0) return random.nextBoolean() ? new Variable() : new Constant(random.nextInt(100));
    Node left = tree(random, depth - 1);
    switch (random.nextInt(8)) {
      case 0: return new Not(left);
      case 1: return new Plus(left, tree(random, depth - 1));
      case 2: return new Minus(left, tree(random, depth - 1));
      case 3: return new Times(left, tree(random, depth - 1));
      case 4: return new And(left, tree(random, depth - 1));
      case 5: return new Or(left, tree(random, depth - 1));
      case 6: return new Either(left, tree(random, depth - 1));
      default: return new Less(left, tree(random, depth - 1));
    }
  }

  @Override
  public long run() {
    long sum = 0;
    for (int x = 0; x < 40; x++) {
      for (Node tree : trees) sum += tree.value(x) + tree.depth();
    }
    return sum;
  }
}
