package sampling.chaos;

/** Full collections, which also unload classes. */
final class Collections implements Burden.Body {
  @Override
  public void round() throws InterruptedException {
    System.gc();
    Thread.sleep(150);
  }
}
