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

  private final Node[] trees = new Node[64];

  Megamorphic() {
    Random random = new Random(11);
    for (int i = 0; i < trees.length; i++) trees[i] = tree(random, 8);
  }

  private static Node leaf(Random random) {
    if (random.nextBoolean()) {
      return new Node() {
        @Override int value(int x) { return x; }
      };
    }
    int constant = random.nextInt(100);
    return new Node() {
      @Override int value(int x) { return constant; }
    };
  }

  private static Node tree(Random random, int depth) {
    if (depth == 0) return leaf(random);
    Node left = tree(random, depth - 1);
    switch (random.nextInt(8)) {
      case 0:
        return new Node() {
          @Override int value(int x) { return ~left.value(x); }
          @Override int depth() { return 1 + left.depth(); }
        };
      case 1:
        return new Two(left, tree(random, depth - 1)) {
          @Override int value(int x) { return left.value(x) + right.value(x); }
        };
      case 2:
        return new Two(left, tree(random, depth - 1)) {
          @Override int value(int x) { return left.value(x) - right.value(x); }
        };
      case 3:
        return new Two(left, tree(random, depth - 1)) {
          @Override int value(int x) { return left.value(x) * right.value(x); }
        };
      case 4:
        return new Two(left, tree(random, depth - 1)) {
          @Override int value(int x) { return left.value(x) & right.value(x); }
        };
      case 5:
        return new Two(left, tree(random, depth - 1)) {
          @Override int value(int x) { return left.value(x) | right.value(x); }
        };
      case 6:
        return new Two(left, tree(random, depth - 1)) {
          @Override int value(int x) { return left.value(x) ^ right.value(x); }
        };
      default:
        return new Two(left, tree(random, depth - 1)) {
          @Override int value(int x) { return left.value(x) < right.value(x) ? 1 : 0; }
        };
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
