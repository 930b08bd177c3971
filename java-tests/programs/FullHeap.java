import java.util.ArrayList;
import java.util.List;

/** Calls methods for the first time while the heap is full: nothing that a caller sees may need any of it. */
public final class FullHeap {
  private static int one(int x) {
    return x + 1;
  }

  private static int two(int x) {
    return x + 2;
  }

  private static int callsForTheFirstTime(int x) {
    return one(x) + two(x);
  }

  private static int calledBefore(int x) {
    return x;
  }

  private static void fill(List<byte[]> all, int size) {
    try {
      while (true) {
        all.add(new byte[size]);
      }
    } catch (OutOfMemoryError full) {
      // As it should be.
    }
  }

  public static void main(String[] args) {
    List<byte[]> all = new ArrayList<>(2_000_000);
    String said = "sum ";
    int sum = calledBefore(0);
    Throwable thrown = null;
    fill(all, 1 << 16);
    fill(all, 64);
    try {
      sum += callsForTheFirstTime(10);
    } catch (Throwable broken) {
      thrown = broken;
    }
    all = null;
    System.out.println(thrown == null ? said + sum : "broken by " + thrown);
  }
}
