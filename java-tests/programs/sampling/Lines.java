package sampling;

/** Fifty lines of arithmetic in one method without loops and calls, and so without a safepoint. */
public final class Lines {
  private static long sink;

  // Every line depends on earlier ones, so that the compiler can remove none. All lines cost about the same.
  static long fifty(long seed) {
    long a = seed, b = seed + 1, c = seed + 2, d = seed + 3, e = seed + 4, f = seed + 5, g = seed + 6, h = seed + 7;
    e += (f << 3) - c;
    a ^= g >>> 7;
    a -= b * h;
    h = h * 17L + (g ^ b);
    b += e * 31L + h;
    d ^= h >>> 7;
    g ^= b >>> 7;
    h += b * 31L + g;
    a ^= b >>> 7;
    c ^= h >>> 7;
    d ^= b >>> 7;
    g -= c * a;
    g -= b * h;
    b += (c << 3) - g;
    a -= e * f;
    b -= c * g;
    h ^= f >>> 7;
    h ^= d >>> 7;
    a -= c * h;
    g = g * 17L + (a ^ e);
    f += d * 31L + e;
    h ^= a >>> 7;
    d = d * 17L + (a ^ b);
    f += (e << 3) - c;
    e += g * 31L + d;
    f += g * 31L + c;
    g -= a * b;
    f -= b * c;
    b -= c * f;
    e ^= b >>> 7;
    e += d * 31L + b;
    b = b * 17L + (e ^ g);
    a += (b << 3) - f;
    f = f * 17L + (g ^ c);
    g += b * 31L + a;
    h ^= c >>> 7;
    c += f * 31L + d;
    c ^= d >>> 7;
    a -= g * d;
    c ^= d >>> 7;
    h -= d * f;
    h = h * 17L + (c ^ g);
    g = g * 17L + (b ^ a);
    c -= f * d;
    c -= a * d;
    f += (a << 3) - c;
    a -= g * c;
    e -= g * d;
    e ^= c >>> 7;
    a -= d * e;
    return a ^ b ^ c ^ d ^ e ^ f ^ g ^ h;
  }

  static long round(long value) {
    for (int i = 0; i < 100_000; i++) {
      value = fifty(value);
    }
    return value;
  }

  public static void main(String[] args) {
    Clock clock = new Clock(args);
    while (clock.running()) {
      sink = round(sink);
    }
    System.out.println("sink " + sink);
  }
}
