package sampling.chaos;

/** One kind of stress, produced round after round on a daemon thread until it is asked to end or fails. */
final class Burden {
  /** Runs one round; short, so that the watchdog sees progress. */
  interface Body {
    void round() throws Exception;
  }

  private final String name;
  private final Thread thread;
  private volatile long rounds;
  private volatile boolean asked;
  private volatile boolean ended;
  private volatile Throwable failure;

  Burden(String name, Body body) {
    this.name = name;
    thread = new Thread(() -> run(body), name);
    thread.setDaemon(true);
  }

  private void run(Body body) {
    try {
      while (!asked) {
        body.round();
        rounds = rounds + 1;
      }
    } catch (Throwable thrown) {
      failure = thrown;
    }
    ended = true;
  }

  void start() {
    thread.start();
  }

  void askToEnd() {
    asked = true;
  }

  void join() throws InterruptedException {
    thread.join();
  }

  long rounds() {
    return rounds;
  }

  boolean ended() {
    return ended;
  }

  Throwable failure() {
    return failure;
  }

  @Override
  public String toString() {
    return name + ": " + rounds + " rounds" + (failure == null ? "" : ", failed: " + failure);
  }
}
