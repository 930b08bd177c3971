package counting;

/**
 * All programs that know their own counts, in one JVM. The argument scales the rounds: with 1, C2 compiles everything
 * in the default mode; 0 is for the slow modes. The second is how many classes the largest call sites see.
 */
public final class All {
  public static void main(String[] args) throws Throwable {
    int scale = args.length > 0 ? Integer.parseInt(args[0]) : 1;
    int rounds = scale == 0 ? 400 : 20000 * scale;
    long sum = Ifs.run(rounds) + Switches.run(rounds) + Logic.run(rounds) + Objects.run(rounds);
    Loops.run(scale == 0 ? 20000 : 2000000);
    sum += Recursion.run(scale == 0 ? 12 : 22);
    sum += Exceptions.run(scale == 0 ? 60 : 1200);
    sum += Dynamic.run(scale == 0 ? 100 : 2000);
    Library.run(rounds);
    Generated.run();
    Threads.run();
    sum += Receivers.run(rounds) + Monitors.run(rounds) + TypeChecks.run(rounds);
    sum += Sites.run(scale == 0 ? 2000 : 100000, args.length > 1 ? Integer.parseInt(args[1]) : Sites.MOST);
    System.out.println("sum " + sum);
    Ifs.expect();
    Switches.expect(rounds);
    Logic.expect(rounds);
    Objects.expect();
    Loops.expect(scale == 0 ? 20000 : 2000000);
    Recursion.expect();
    Exceptions.expect(scale == 0 ? 60 : 1200);
    Dynamic.expect();
    Library.expect();
    Generated.expect();
    Threads.expect();
    Receivers.expect();
    Monitors.expect();
    TypeChecks.expect();
    Sites.expect();
    new Expect(All.class).calls("main([Ljava/lang/String;)V", 1);
    Expect.print();
  }
}
