/** Calls methods one after the other, in another order than that of the class file, each when a byte comes. */
public final class Order {
  static final class Later {
    static void fourth() {}
  }

  static void third() {}

  static void second() {}

  static void first() {}

  /** Uses a processor, because snapshots of a program that rests are rare. */
  private static void awaitByte() throws Exception {
    while (System.in.available() == 0) {}
    System.in.read();
  }

  public static void main(String[] args) throws Exception {
    System.out.println("ready");
    awaitByte();
    first();
    awaitByte();
    second();
    awaitByte();
    third();
    awaitByte();
    Later.fourth();
    awaitByte();
  }
}
