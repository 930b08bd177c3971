package counting;

/** Ten thousand class loaders; each defines a class, runs it and is dropped. */
public final class Loaders {
  public static void main(String[] args) throws Exception {
    int loaders = args.length > 0 ? Integer.parseInt(args[0]) : 10000;
    ByteCode b = new ByteCode("counting.made.Many");
    ByteCode.Code c = b.code();
    ByteCode.Label zero = new ByteCode.Label();
    c.op(0x1a); // iload_0
    int at = c.jump(0x99, zero); // ifeq
    c.op(4, 0xac).bind(zero).op(3, 0xac); // iconst_1, ireturn, iconst_0, ireturn
    b.method("many", "(I)I", 1, 1, c);
    byte[] bytes = b.finish();
    long sum = 0;
    for (int i = 0; i < loaders; i++) {
      Class<?> made = new Generated.Loader().define("counting.made.Many", bytes);
      sum += (Integer) made.getMethod("many", int.class).invoke(null, i % 2);
    }
    System.out.println("sum " + sum);
    Expect e = new Expect(Loaders.class);
    e.calls("counting.made.Many", "many(I)I", loaders);
    e.at("counting.made.Many", "many(I)I", at, loaders - loaders / 2, loaders / 2);
    e.calls("main([Ljava/lang/String;)V", 1);
    Expect.print();
  }
}
