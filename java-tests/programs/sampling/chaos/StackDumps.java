package sampling.chaos;

/** The stacks of all threads, as a monitoring tool asks for them: safepoints and handshakes at any moment. */
final class StackDumps implements Burden.Body {
  private static volatile int frames;

  @Override
  public void round() throws InterruptedException {
    int seen = 0;
    for (StackTraceElement[] stack : Thread.getAllStackTraces().values()) {
      seen += stack.length;
    }
    frames = seen;
    Thread.sleep(20);
  }
}
