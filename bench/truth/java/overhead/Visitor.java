package overhead;

import java.util.Random;

/**
 * Walks trees of six classes with four visitors. Nearly every call has more receivers than the two that HotSpot lists, in fixed
 * shares: of the nodes, some have two parts, some one and some none. Which branch a visitor takes depends on the class, too.
 */
final class Visitor implements Workload {
  private interface Walk {
    int constant(Constant node);

    int name(Name node);

    int sum(Sum node);

    int product(Product node);

    int negative(Negative node);

    int choice(Choice node);
  }

  private abstract static class Node {
    abstract int accept(Walk walk);
  }

  private static final class Constant extends Node {
    final int value;

    Constant(int value) { this.value = value; }
    @Override int accept(Walk walk) { return walk.constant(this); }
  }

  private static final class Name extends Node {
    final int index;

    Name(int index) { this.index = index; }
    @Override int accept(Walk walk) { return walk.name(this); }
  }

  private abstract static class Two extends Node {
    final Node left;
    final Node right;

    Two(Node left, Node right) {
      this.left = left;
      this.right = right;
    }
  }

  private static final class Sum extends Two {
    Sum(Node left, Node right) { super(left, right); }
    @Override int accept(Walk walk) { return walk.sum(this); }
  }

  private static final class Product extends Two {
    Product(Node left, Node right) { super(left, right); }
    @Override int accept(Walk walk) { return walk.product(this); }
  }

  private static final class Negative extends Node {
    final Node of;

    Negative(Node of) { this.of = of; }
    @Override int accept(Walk walk) { return walk.negative(this); }
  }

  private static final class Choice extends Two {
    final Node condition;

    Choice(Node condition, Node left, Node right) {
      super(left, right);
      this.condition = condition;
    }

    @Override int accept(Walk walk) { return walk.choice(this); }
  }

  /** The value of a tree; a choice walks one of its sides only. */
  private static final class Value implements Walk {
    private final int[] names;

    Value(int... names) { this.names = names; }
    @Override public int constant(Constant node) { return node.value; }
    @Override public int name(Name node) { return names[node.index]; }
    @Override public int sum(Sum node) { return node.left.accept(this) + node.right.accept(this); }

    @Override
    public int product(Product node) {
      int left = node.left.accept(this);
      return left == 0 ? 0 : left * node.right.accept(this);
    }

    @Override public int negative(Negative node) { return -node.of.accept(this); }

    @Override
    public int choice(Choice node) {
      return node.condition.accept(this) > 0 ? node.left.accept(this) : node.right.accept(this);
    }
  }

  /** How deep a tree is. */
  private static final class Depth implements Walk {
    @Override public int constant(Constant node) { return 1; }
    @Override public int name(Name node) { return 1; }
    @Override public int sum(Sum node) { return two(node); }
    @Override public int product(Product node) { return two(node); }
    @Override public int negative(Negative node) { return 1 + node.of.accept(this); }
    @Override public int choice(Choice node) { return Math.max(1 + node.condition.accept(this), two(node)); }
    private int two(Two node) { return 1 + Math.max(node.left.accept(this), node.right.accept(this)); }
  }

  /** How many names a tree has. */
  private static final class Names implements Walk {
    @Override public int constant(Constant node) { return 0; }
    @Override public int name(Name node) { return 1; }
    @Override public int sum(Sum node) { return node.left.accept(this) + node.right.accept(this); }
    @Override public int product(Product node) { return node.left.accept(this) + node.right.accept(this); }
    @Override public int negative(Negative node) { return node.of.accept(this); }

    @Override
    public int choice(Choice node) {
      return node.condition.accept(this) + node.left.accept(this) + node.right.accept(this);
    }
  }

  /** A hash of what a tree holds, for one tree of ten. */
  private static final class Hash implements Walk {
    @Override public int constant(Constant node) { return 31 + node.value; }
    @Override public int name(Name node) { return 37 * node.index; }
    @Override public int sum(Sum node) { return 41 * node.left.accept(this) + node.right.accept(this); }
    @Override public int product(Product node) { return 43 * node.left.accept(this) + node.right.accept(this); }
    @Override public int negative(Negative node) { return 47 * node.of.accept(this); }

    @Override
    public int choice(Choice node) {
      return 53 * node.condition.accept(this) + 59 * node.left.accept(this) + node.right.accept(this);
    }
  }

  private final Node[] trees = new Node[100];
  private final Walk[] walks = {new Value(3, 0, -7, 2), new Value(-1, 5, 0, 9), new Depth(), new Names()};
  private final Walk rare = new Hash();

  Visitor() {
    Random random = new Random(17);
    for (int i = 0; i < trees.length; i++) trees[i] = tree(random, 7);
  }

  private static Node tree(Random random, int depth) {
    if (depth == 0) return random.nextInt(3) == 0 ? new Name(random.nextInt(4)) : new Constant(random.nextInt(100) - 50);
    Node part = tree(random, depth - 1);
    int kind = random.nextInt(20);
    if (kind < 9) return new Sum(part, tree(random, depth - 1));
    if (kind < 14) return new Product(part, tree(random, depth - 1));
    if (kind < 18) return new Choice(part, tree(random, depth - 1), tree(random, depth - 1));
    return new Negative(part);
  }

  @Override
  public long run() {
    long sum = 0;
    for (int i = 0; i < trees.length; i++) {
      for (Walk walk : walks) sum = 31 * sum + trees[i].accept(walk);
      if (i % 10 == 0) sum += trees[i].accept(rare);
    }
    return sum;
  }
}
