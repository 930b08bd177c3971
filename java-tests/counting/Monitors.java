package counting;

import counting.Expect.Tally;

/** Monitors of every kind of object, of blocks and methods, with the number of entries for each class. */
public final class Monitors {
  private static final Tally entered = new Tally();
  private static long staticMethods, waited;

  private static synchronized int ofTheClass(int n) {
    staticMethods++;
    return n == 0 ? 0 : 1 + ofTheClass(n - 1);
  }

  static class Account {
    int balance;

    synchronized int add(int x) {
      entered.add(this);
      balance += x;
      return balance;
    }

    synchronized int recursive(int n) {
      entered.add(this);
      return n == 0 ? 0 : 1 + recursive(n - 1);
    }

    synchronized void refuse() {
      entered.add(this);
      throw new Exceptions.Boom(1);
    }
  }

  /** Synchronized twice on one object: by its own method and its parent's. */
  static final class Savings extends Account {
    @Override
    synchronized int add(int x) {
      entered.add(this);
      return super.add(x) + 1;
    }
  }

  static class Parent {
    Parent() {
      entered.add(this);
      synchronized (this) {
        touch();
      }
    }

    void touch() {}
  }

  static final class Child extends Parent {
    final int kept;

    Child(Object lock) {
      this(locked(lock));
    }

    private Child(int kept) {
      this.kept = kept;
      entered.add(this);
      synchronized (this) {
        touch();
      }
    }

    private static int locked(Object lock) {
      entered.add(lock);
      synchronized (lock) {
        return lock.hashCode() & 1;
      }
    }
  }

  enum Kind { ONE, TWO { } }

  record Pair(Object left, Object right) {}

  interface Work {
    int run();
  }

  private static int on(Object lock) {
    entered.add(lock);
    synchronized (lock) {
      return 1;
    }
  }

  private static int nullable(Object lock) {
    entered.add(lock);
    try {
      synchronized (lock) {
        return 1;
      }
    } catch (NullPointerException none) {
      return 0;
    }
  }

  private static int nested(Object a, Object b) {
    entered.add(a).add(b).add(a);
    synchronized (a) {
      synchronized (b) {
        synchronized (a) {
          return 1;
        }
      }
    }
  }

  private static int leaving(Object lock, int way) {
    int sum = 0;
    for (int i = 0; i < 3; i++) {
      entered.add(lock);
      synchronized (lock) {
        if (way == 0) continue;
        if (way == 1) break;
        if (way == 2) return sum;
        sum++;
        if (way == 3) throw new Exceptions.Boom(2);
      }
    }
    return sum;
  }

  private static int chosen(boolean first, Object a, Object b) {
    entered.add(first ? a : b);
    synchronized (first ? a : b) {
      return 1;
    }
  }

  /** Waiting releases the monitor and acquires it again, which is not an entry. */
  private static void waiting(Object lock) throws InterruptedException {
    entered.add(lock);
    synchronized (lock) {
      waited++;
      lock.wait(1);
    }
  }

  private static int refused(Runnable body, Object lock) {
    try {
      body.run();
      throw new AssertionError("nothing was thrown");
    } catch (Exceptions.Boom boom) {
      if (Thread.holdsLock(lock)) throw new AssertionError("still locked: " + lock.getClass());
      return 1;
    }
  }

  static long run(int rounds) throws Exception {
    Work lambda = () -> 1;
    Object[] locks = {
      new Object(), new int[2], new int[1][1], new String[1], new Kind[0], String.class, Monitors.class, int.class,
      "a string", Kind.ONE, Kind.TWO, new Pair(1, 2), new Account(), new Exceptions.Boom(3), Thread.currentThread(), lambda
    };
    Account account = new Account();
    Savings savings = new Savings();
    long sum = 0;
    for (int i = 0; i < rounds; i++) {
      Object lock = locks[i % locks.length];
      Object other = locks[i * 7 % locks.length];
      sum += on(lock) + nullable((i & 3) == 0 ? null : lock) + nested(lock, other) + chosen((i & 1) == 0, lock, other);
      sum += account.add(i) + savings.add(i) + ofTheClass(i & 3) + account.recursive(i & 3);
      int way = i % 5;
      if (way == 3) sum += refused(() -> leaving(lock, 3), lock);
      else sum += leaving(lock, way);
      if ((i & 7) == 0) sum += refused(account::refuse, account) + new Child(lock).kept;
      if (i < 5) waiting(lock);
    }
    return sum;
  }

  static void expect() {
    Expect e = new Expect(Monitors.class);
    e.monitors(new Tally().addAll(entered).add(Class.class, staticMethods));
  }

  public static void main(String[] args) throws Exception {
    System.out.println("sum " + run(Integer.parseInt(args[0])));
    expect();
    Expect.print();
  }
}
