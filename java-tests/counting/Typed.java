package counting;

/** The programs that know the classes of their receivers, monitors and type checks. */
public final class Typed {
  public static void main(String[] args) throws Exception {
    int rounds = Integer.parseInt(args[0]);
    long sum = Receivers.run(rounds) + Monitors.run(rounds) + TypeChecks.run(rounds) + Crowded.run(rounds);
    sum += Sites.run(rounds, args.length > 1 ? Integer.parseInt(args[1]) : Sites.MOST) + Arguments.run(rounds);
    System.out.println("sum " + sum);
    Receivers.expect();
    Monitors.expect();
    TypeChecks.expect();
    Crowded.expect();
    Sites.expect();
    Arguments.expect();
    Expect.print();
  }
}
