package counting;

import java.util.Random;

/** Every conditional opcode, each in a separate method that counts its calls, its "then" and its "else". */
final class Ifs {
  private static final long[] n = new long[3 * 40];

  // javac inverts conditions, so that "x == 0" is an ifne, and so on: all sixteen opcodes occur here.
  static int eq(int x) { n[0]++; if (x == 0) { n[1]++; return 1; } n[2]++; return 2; } // @0
  static int ne(int x) { n[3]++; if (x != 0) { n[4]++; return 1; } n[5]++; return 2; } // @1
  static int lt(int x) { n[6]++; if (x < 0) { n[7]++; return 1; } n[8]++; return 2; } // @2
  static int ge(int x) { n[9]++; if (x >= 0) { n[10]++; return 1; } n[11]++; return 2; } // @3
  static int gt(int x) { n[12]++; if (x > 0) { n[13]++; return 1; } n[14]++; return 2; } // @4
  static int le(int x) { n[15]++; if (x <= 0) { n[16]++; return 1; } n[17]++; return 2; } // @5
  static int ieq(int x, int y) { n[18]++; if (x == y) { n[19]++; return 1; } n[20]++; return 2; } // @6
  static int ine(int x, int y) { n[21]++; if (x != y) { n[22]++; return 1; } n[23]++; return 2; } // @7
  static int ilt(int x, int y) { n[24]++; if (x < y) { n[25]++; return 1; } n[26]++; return 2; } // @8
  static int ige(int x, int y) { n[27]++; if (x >= y) { n[28]++; return 1; } n[29]++; return 2; } // @9
  static int igt(int x, int y) { n[30]++; if (x > y) { n[31]++; return 1; } n[32]++; return 2; } // @10
  static int ile(int x, int y) { n[33]++; if (x <= y) { n[34]++; return 1; } n[35]++; return 2; } // @11
  static int aeq(Object x, Object y) { n[36]++; if (x == y) { n[37]++; return 1; } n[38]++; return 2; } // @12
  static int ane(Object x, Object y) { n[39]++; if (x != y) { n[40]++; return 1; } n[41]++; return 2; } // @13
  static int isNull(Object x) { n[42]++; if (x == null) { n[43]++; return 1; } n[44]++; return 2; } // @14
  static int nonNull(Object x) { n[45]++; if (x != null) { n[46]++; return 1; } n[47]++; return 2; } // @15
  static int lcmp(long x, long y) { n[48]++; if (x < y) { n[49]++; return 1; } n[50]++; return 2; } // @16
  static int fcmpg(float x, float y) { n[51]++; if (x < y) { n[52]++; return 1; } n[53]++; return 2; } // @17
  static int fcmpl(float x, float y) { n[54]++; if (x > y) { n[55]++; return 1; } n[56]++; return 2; } // @18
  static int dcmpg(double x, double y) { n[57]++; if (x <= y) { n[58]++; return 1; } n[59]++; return 2; } // @19
  static int dcmpl(double x, double y) { n[60]++; if (x >= y) { n[61]++; return 1; } n[62]++; return 2; } // @20
  static int deq(double x, double y) { n[63]++; if (x == y) { n[64]++; return 1; } n[65]++; return 2; } // @21
  static int bool(boolean x) { n[66]++; if (x) { n[67]++; return 1; } n[68]++; return 2; } // @22
  static int isA(Object x) { n[69]++; if (x instanceof String) { n[70]++; return 1; } n[71]++; return 2; } // @23
  static int never(int x) { n[72]++; if (x == Integer.MIN_VALUE) { n[73]++; return 1; } n[74]++; return 2; } // @24
  static int always(int x) { n[75]++; if (x != Integer.MIN_VALUE) { n[76]++; return 1; } n[77]++; return 2; } // @25
  static int unused(int x) { n[78]++; if (x > 7) { n[79]++; return 1; } n[80]++; return 2; } // @26

  private static final String[] METHODS = {
    "eq(I)I", "ne(I)I", "lt(I)I", "ge(I)I", "gt(I)I", "le(I)I",
    "ieq(II)I", "ine(II)I", "ilt(II)I", "ige(II)I", "igt(II)I", "ile(II)I",
    "aeq(Ljava/lang/Object;Ljava/lang/Object;)I", "ane(Ljava/lang/Object;Ljava/lang/Object;)I",
    "isNull(Ljava/lang/Object;)I", "nonNull(Ljava/lang/Object;)I",
    "lcmp(JJ)I", "fcmpg(FF)I", "fcmpl(FF)I", "dcmpg(DD)I", "dcmpl(DD)I", "deq(DD)I",
    "bool(Z)I", "isA(Ljava/lang/Object;)I", "never(I)I", "always(I)I", "unused(I)I",
  };

  static long run(int rounds) {
    Random random = new Random(7);
    Object[] objects = {null, "a", "b", 1, null};
    long sum = 0;
    for (int i = 0; i < rounds; i++) {
      int x = random.nextInt(5) - 2;
      int y = random.nextInt(5) - 2;
      double a = random.nextInt(8) == 0 ? Double.NaN : x;
      double b = y;
      Object o = objects[random.nextInt(objects.length)];
      Object p = objects[random.nextInt(objects.length)];
      sum += eq(x) + ne(x) + lt(x) + ge(x) + gt(x) + le(x);
      sum += ieq(x, y) + ine(x, y) + ilt(x, y) + ige(x, y) + igt(x, y) + ile(x, y);
      sum += aeq(o, p) + ane(o, p) + isNull(o) + nonNull(o);
      sum += lcmp(x, y) + fcmpg((float) a, (float) b) + fcmpl((float) a, (float) b);
      sum += dcmpg(a, b) + dcmpl(a, b) + deq(a, b) + bool(x > y) + isA(o) + never(x) + always(x);
    }
    return sum;
  }

  static void expect() {
    Expect e = new Expect(Ifs.class);
    for (int i = 0; i < METHODS.length; i++) {
      e.calls(METHODS[i], n[3 * i]);
      e.branch(Integer.toString(i), n[3 * i + 2], n[3 * i + 1]);
    }
  }
}
