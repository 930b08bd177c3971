package counting;

import java.util.Arrays;
import java.util.GregorianCalendar;

/**
 * Methods of the JDK. If only this program calls them, the number is exact; if other code calls them, too, it is a
 * lower bound. Some are intrinsics: HotSpot's compilers replace the call, so that the entry is never executed.
 */
final class Library {
  private static long sink;
  private static int times;
  private static int fused;

  static void run(int rounds) {
    times = rounds;
    GregorianCalendar calendar = new GregorianCalendar(2000, 0, 1);
    int[] array = new int[16];
    for (int i = 0; i < rounds; i++) {
      sink += calendar.isLeapYear(i) ? 1 : 0;
      sink += Math.max(i, 7) + Math.min(i, 9) + Math.abs(-i);
      sink += Integer.bitCount(i) + Long.numberOfTrailingZeros(i | 1);
      sink += "abcdefgh".equals(i % 2 == 0 ? "abcdefgh" : "abcdefgi") ? 1 : 0;
      sink += Integer.reverseBytes(i) + Character.reverseBytes((char) i);
      sink += Arrays.equals(array, array) ? 1 : 0;
      sink += StrictMath.max(i, 3.0f) > 4 ? 1 : 0;
      Math.fma(1.0, 2.0, i);
      try {
        sink += (long) fuse(array, i % 5 * 6);
        fused++;
      } catch (ArrayIndexOutOfBoundsException expected) {
        sink++;
      }
    }
  }

  /** Two of five calls end before the call of the intrinsic in the same block. */
  private static float fuse(int[] array, int i) {
    return Math.fma(array[i], 2.0f, 1.0f);
  }

  static void expect() {
    Expect e = new Expect(Library.class);
    e.calls("java.util.GregorianCalendar", "isLeapYear(I)Z", times);
    e.callsAtLeast("java.lang.Math", "max(II)I", times);
    e.callsAtLeast("java.lang.Math", "min(II)I", times);
    e.callsAtLeast("java.lang.Math", "abs(I)I", times);
    e.callsAtLeast("java.lang.Integer", "bitCount(I)I", times);
    e.callsAtLeast("java.lang.Long", "numberOfTrailingZeros(J)I", times);
    e.callsAtLeast("java.lang.String", "equals(Ljava/lang/Object;)Z", times);
    e.callsAtLeast("java.lang.StringLatin1", "equals([B[B)Z", times);
    e.callsAtLeast("java.lang.Integer", "reverseBytes(I)I", times);
    e.callsAtLeast("java.lang.Character", "reverseBytes(C)C", times);
    e.callsAtLeast("java.util.Arrays", "equals([I[I)Z", times);
    e.callsAtLeast("java.lang.StrictMath", "max(FF)F", times);
    e.callsAtLeast("java.lang.Math", "fma(DDD)D", times);
    e.calls("java.lang.Math", "fma(FFF)F", fused);
    e.abrupt("java.lang.Math", "fma(FFF)F", times - fused);
    e.callsAtLeast("java.lang.Object", "<init>()V", 1);
  }
}
