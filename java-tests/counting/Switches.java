package counting;

import java.util.Random;

/** tableswitch and lookupswitch: gaps, shared targets, fall-through from case to case, default in every place. */
@SuppressWarnings("fallthrough")
final class Switches {
  enum Colour { RED, GREEN, BLUE }

  private static final long[][] seen = new long[12][];
  private static long otherOfStrings;
  private static long stringHits, strangers;

  static {
    for (int i = 0; i < seen.length; i++) seen[i] = new long[16];
  }

  /** Keys 1..4, no gap. */
  static int dense(int x) {
    seen[0][x >= 1 && x <= 4 ? x - 1 : 15]++;
    switch (x) { // @dense
      case 1: return 10;
      case 2: return 20;
      case 3: return 30;
      case 4: return 40;
      default: return 0;
    }
  }

  /** Keys -2, -1, 1, 3 and 4: the gaps 0 and 2 go to the default like every other value. */
  static int gaps(int x) {
    seen[1][x >= -2 && x <= 4 ? x + 2 : 15]++;
    switch (x) { // @gaps
      case -2: return 1;
      case -1: return 2;
      case 1: return 3;
      case 3: return 4;
      case 4: return 5;
      default: return 6;
    }
  }

  /** Several keys share a target, one shares the default's. */
  static int shared(int x) {
    seen[2][x >= 0 && x <= 6 ? x : 15]++;
    switch (x) { // @shared
      case 0:
      case 2:
      case 4: return 1;
      case 1:
      case 3: return 2;
      case 5:
      default: return 3;
      case 6: return 4;
    }
  }

  /** A case falls through to the next one. */
  static int fallThrough(int x) {
    seen[3][x >= 0 && x <= 2 ? x : 15]++;
    int r = 0;
    switch (x) { // @through
      case 0: r += 1;
      case 1: r += 2;
      case 2: r += 4;
      default: r += 8;
    }
    return r;
  }

  /** No default: other values leave the switch. */
  static int noDefault(int x) {
    seen[4][x >= 0 && x <= 1 ? x : 15]++;
    int r = 5;
    switch (x) { // @noDefault
      case 0: r = 1; break;
      case 1: r = 2; break;
    }
    return r;
  }

  /** Far apart: a lookupswitch. Key order is by value, not the source's order. */
  static int sparse(int x) {
    int slot = x == -1000000 ? 0 : x == -5 ? 1 : x == 77 ? 2 : x == 1000000 ? 3 : 15;
    seen[5][slot]++;
    switch (x) { // @sparse
      case 1000000: return 1;
      case -5: return 2;
      case 77:
      case -1000000: return 3;
      default: return 4;
    }
  }

  /** A switch in a loop, whose cases continue and break it. */
  static int inLoop(int limit) {
    int r = 0;
    loop:
    for (int i = 0; ; i++) {
      int x = i == limit ? 9 : i % 5;
      seen[6][x]++;
      switch (x) { // @inLoop
        case 0: continue;
        case 1: r++; break;
        case 4: r += 2; continue loop;
        case 9: break loop;
        default: r += 3;
      }
      r ^= i;
    }
    return r;
  }

  /** For an enum, javac switches over an array of ordinals in a generated nested class. */
  static int colour(Colour c) {
    seen[7][c.ordinal()]++;
    switch (c) { // @colour
      case RED: return 1;
      case GREEN: return 2;
      case BLUE: return 3;
      default: return 4;
    }
  }

  /** For strings, javac emits two switches: over hash codes (equal ones share a case), then over numbers. */
  static int text(String s) {
    int slot = s.equals("Aa") ? 0 : s.equals("BB") ? 1 : s.equals("x") ? 2 : 15;
    seen[8][slot]++;
    if (slot == 15) otherOfStrings++; else stringHits++; // @slot
    if (s.equals("C#")) strangers++;
    switch (s) { // @text
      case "Aa": return 1;
      case "BB": return 2;
      case "x": return 3;
      default: return 4;
    }
  }

  /** An expression whose default throws an exception that never occurs. */
  static int yielding(int x) {
    seen[9][x >= 0 && x <= 3 ? x : 15]++;
    return switch (x) { // @yield
      case 0, 1 -> 7;
      case 2 -> { int r = x; for (int i = 0; i < 3; i++) r += i; yield r; } // @yieldLoop
      case 3 -> -1;
      default -> 0;
    };
  }

  private static final String[] TEXTS = {"Aa", "BB", "x", "y", "C#", ""};

  static long run(int rounds) {
    Random random = new Random(11);
    long sum = 0;
    for (int i = 0; i < rounds; i++) {
      int x = random.nextInt(10) - 3;
      sum += dense(x) + gaps(x) + shared(x) + fallThrough(x) + noDefault(x) + yielding(x);
      int[] far = {-1000000, -5, 77, 1000000, x, Integer.MIN_VALUE, Integer.MAX_VALUE};
      sum += sparse(far[random.nextInt(far.length)]);
      sum += colour(Colour.values()[(i * 7) % 3 == 2 ? 2 : i % 2]);
      sum += text(TEXTS[random.nextInt(TEXTS.length)]);
      if (i % 16 == 0) sum += inLoop(i % 48);
    }
    return sum;
  }

  static void expect(int rounds) {
    Expect e = new Expect(Switches.class);
    long[] s = seen[0];
    e.calls("dense(I)I", rounds);
    e.cases("dense", 0, s[15], s[0], s[1], s[2], s[3]);
    s = seen[1];
    e.cases("gaps", 0, s[15], s[0], s[1], s[2], s[3], s[4], s[5], s[6]);
    s = seen[2];
    e.cases("shared", 0, s[15], s[0], s[1], s[2], s[3], s[4], s[5], s[6]);
    s = seen[3];
    e.cases("through", 0, s[15], s[0], s[1], s[2]);
    s = seen[4];
    e.cases("noDefault", 0, s[15], s[0], s[1]);
    s = seen[5];
    e.cases("sparse", 0, s[15], s[0], s[1], s[2], s[3]);
    s = seen[6];
    e.cases("inLoop", 0, 0, s[0], s[1], s[2], s[3], s[4], 0, 0, 0, 0, s[9]);
    s = seen[7];
    e.cases("colour", 0, 0, s[0], s[1], s[2]);
    s = seen[8];
    e.branch("slot", stringHits, otherOfStrings);
    // First a switch over hash codes: 120 is "x"; 2112 is "Aa", "BB" and also "C#", which is no case. Then comparisons,
    // then a switch over numbers.
    e.cases("text", 0, s[15] - strangers, s[2], s[0] + s[1] + strangers);
    e.cases("text", 4, s[15], s[0], s[1], s[2]);
    s = seen[9];
    e.cases("yield", 0, s[15], s[0], s[1], s[2], s[3]);
    e.branch("yieldLoop", s[2], 3 * s[2]);
  }
}
