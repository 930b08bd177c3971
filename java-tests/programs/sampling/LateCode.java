package sampling;

import java.io.IOException;

/**
 * Fifty lines of arithmetic, called from a loop of another class. When everything is compiled, it says "ready", and goes
 * on until its input ends. Argument: the CPU time until then, in milliseconds.
 */
public final class LateCode {
  private static volatile long sink;

  static final class Straight {
    private Straight() {}

    // Each line waits for the one before, so that the processor is at each of them for as long. HotSpot does not inline
    // so much bytecode.
    static long fifty(long seed) {
      long x = seed;
      x = (x ^ (x >>> 15)) * 612178003L;
      x = (x ^ (x >>> 38)) * 862425549L;
      x = (x ^ (x >>> 35)) * 68760437L;
      x = (x ^ (x >>> 19)) * 127614243L;
      x = (x ^ (x >>> 26)) * 818077201L;
      x = (x ^ (x >>> 25)) * 508069465L;
      x = (x ^ (x >>> 31)) * 408608741L;
      x = (x ^ (x >>> 36)) * 226437259L;
      x = (x ^ (x >>> 14)) * 524832097L;
      x = (x ^ (x >>> 11)) * 960191865L;
      x = (x ^ (x >>> 37)) * 419554019L;
      x = (x ^ (x >>> 24)) * 653231581L;
      x = (x ^ (x >>> 35)) * 824729239L;
      x = (x ^ (x >>> 11)) * 748144855L;
      x = (x ^ (x >>> 25)) * 286970257L;
      x = (x ^ (x >>> 34)) * 861954509L;
      x = (x ^ (x >>> 18)) * 635746161L;
      x = (x ^ (x >>> 14)) * 968900367L;
      x = (x ^ (x >>> 21)) * 33845751L;
      x = (x ^ (x >>> 11)) * 28322287L;
      x = (x ^ (x >>> 31)) * 582337223L;
      x = (x ^ (x >>> 11)) * 947217655L;
      x = (x ^ (x >>> 23)) * 738106431L;
      x = (x ^ (x >>> 17)) * 454244221L;
      x = (x ^ (x >>> 34)) * 32182305L;
      x = (x ^ (x >>> 27)) * 239039615L;
      x = (x ^ (x >>> 35)) * 471178217L;
      x = (x ^ (x >>> 26)) * 594628451L;
      x = (x ^ (x >>> 18)) * 372192993L;
      x = (x ^ (x >>> 18)) * 727760591L;
      x = (x ^ (x >>> 18)) * 818061415L;
      x = (x ^ (x >>> 25)) * 312150635L;
      x = (x ^ (x >>> 40)) * 24074397L;
      x = (x ^ (x >>> 24)) * 900342503L;
      x = (x ^ (x >>> 40)) * 598488273L;
      x = (x ^ (x >>> 40)) * 690658325L;
      x = (x ^ (x >>> 14)) * 200615329L;
      x = (x ^ (x >>> 31)) * 778001467L;
      x = (x ^ (x >>> 38)) * 319246765L;
      x = (x ^ (x >>> 14)) * 798947651L;
      x = (x ^ (x >>> 21)) * 962616757L;
      x = (x ^ (x >>> 34)) * 764636349L;
      x = (x ^ (x >>> 27)) * 454233943L;
      x = (x ^ (x >>> 27)) * 892244035L;
      x = (x ^ (x >>> 40)) * 720735123L;
      x = (x ^ (x >>> 17)) * 326739463L;
      x = (x ^ (x >>> 20)) * 631909865L;
      x = (x ^ (x >>> 39)) * 537185925L;
      x = (x ^ (x >>> 38)) * 543544369L;
      x = (x ^ (x >>> 23)) * 633436359L;
      return x;
    }
  }

  public static void main(String[] args) throws IOException {
    Clock warmUp = new Clock(args);
    boolean isReady = false;
    long value = 1;
    while (System.in.available() == 0) {
      for (int i = 0; i < 1_000_000; i++) {
        value = Straight.fifty(value);
      }
      sink = value;
      if (!isReady && !warmUp.running()) {
        isReady = true;
        System.out.println("ready");
      }
    }
  }
}
