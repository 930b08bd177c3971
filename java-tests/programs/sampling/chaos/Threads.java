package sampling.chaos;

/** Threads that start and end, most of them before their first sample. */
final class Threads implements Burden.Body {
  @Override
  public void round() throws InterruptedException {
    Thread[] all = new Thread[16];
    for (int i = 0; i < all.length; i++) {
      all[i] = new Thread(new Work());
      all[i].start();
    }
    for (Thread thread : all) {
      thread.join();
    }
  }
}
