package sampling.chaos;

/** Requests the stacks of all threads, like a monitoring tool: safepoints and handshakes at any time. */
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
