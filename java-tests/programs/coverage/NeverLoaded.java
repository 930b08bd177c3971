package coverage;

/** Nothing loads this class. */
final class NeverLoaded {
  private NeverLoaded() {  //= 0
  }  //= 0

  static int half(int number) {
    return number % 2 == 0 ? number / 2 : -1;  //= 0 | - -
  }
}
