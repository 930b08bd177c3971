package counting;

import java.io.IOException;

/** Runs in small steps until its input ends or says to stop, so that a debugger can stop in it. */
public final class Debugged {
  private static long steps;

  static void step(int x) {
    if (x % 2 == 0) steps++;
    steps += x & 1;
  }

  public static void main(String[] args) throws IOException, InterruptedException {
    System.out.println("waiting");
    for (int i = 0; System.in.available() == 0; i++) {
      step(i);
      Thread.sleep(1);
    }
    System.out.println("ended after " + steps);
  }
}
