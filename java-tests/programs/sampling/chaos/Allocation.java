package sampling.chaos;

import java.util.ArrayList;
import java.util.List;

/** Objects of all ages, so that every phase of every collector has work. */
final class Allocation implements Burden.Body {
  private final List<Object> old = new ArrayList<>();
  private int round;

  @Override
  public void round() {
    List<byte[]> young = new ArrayList<>();
    for (int i = 0; i < 1_000; i++) {
      young.add(new byte[i % 500]);
    }
    old.add(young);
    if (old.size() > 40) {
      old.subList(0, 20).clear();
    }
    if (round++ % 50 == 0) {
      old.add(new long[100_000]);
    }
  }
}
