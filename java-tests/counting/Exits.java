package counting;

/** Programs that do not end by returning from main. The first argument chooses how. */
public final class Exits {
  private static long entered, odd, ticks, helpers;
  private static final Object LOCK = new Object();

  /** System.exit deep in a stack; all frames have already executed their branch. */
  static int exitAt(int depth) {
    entered++;
    if ((depth & 1) == 1) odd++; // @exitAt
    if (depth == 30) { // @exitNow
      Expect e = new Expect(Exits.class);
      e.calls("exitAt(I)I", entered);
      e.branch("exitAt", entered - odd, odd);
      e.branch("exitNow", 30, 1);
      e.live("exitAt(I)I", 31);
      live(e);
      Expect.print();
      System.exit(7);
    }
    return exitAt(depth + 1) + 1;
  }

  private static void live(Expect e) {
    e.calls("main([Ljava/lang/String;)V", 1);
    e.live("main([Ljava/lang/String;)V", 1);
  }

  /** An endless event loop. */
  static void serve() throws InterruptedException {
    while (true) {
      synchronized (LOCK) {
        if (ticks == 1000) { // @full
          LOCK.notifyAll();
          LOCK.wait();
        }
        ticks++;
        LOCK.notifyAll();
      }
    }
  }

  /** Never returns; always throws. */
  static void refuse(int x) {
    helpers++;
    throw new IllegalArgumentException("refused " + x);
  }

  static int callsRefuse(int x) {
    if (x < 0) { // @callsRefuse
      refuse(x);
    }
    return x;
  }

  public static void main(String[] args) throws Exception {
    Expect e = new Expect(Exits.class);
    switch (args[0]) {
      case "exit":
        exitAt(0);
        break;
      case "loop":
        Thread server = new Thread(() -> {
          try {
            serve();
          } catch (InterruptedException ignored) {
            return;
          }
        });
        server.setDaemon(true);
        server.start();
        synchronized (LOCK) {
          while (ticks < 1000) LOCK.wait();
        }
        Thread.sleep(50);
        e.calls("serve()V", 1);
        e.branch("full", 1000, 1);
        e.live("serve()V", 1);
        Expect.print();
        break;
      case "helper":
        int sum = 0;
        for (int i = 0; i < 3000; i++) {
          try {
            sum += callsRefuse(i % 3 - 1);
          } catch (IllegalArgumentException refused) {
            sum++;
          }
        }
        e.calls("refuse(I)V", helpers);
        e.calls("callsRefuse(I)I", 3000);
        e.branch("callsRefuse", 2000, 1000);
        e.abrupt("callsRefuse(I)I", 1000);
        Expect.print();
        break;
      case "halt":
        e.calls("main([Ljava/lang/String;)V", 1);
        Expect.print();
        Runtime.getRuntime().halt(9);
        break;
      case "hook":
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
          for (int i = 0; i < 10; i++) callsRefuse(i);
          e.calls("callsRefuse(I)I", 10);
          e.branch("callsRefuse", 10, 0);
          Expect.print();
        }));
        break;
      case "uncaught":
        e.calls("refuse(I)V", 1);
        e.calls("callsRefuse(I)I", 1);
        e.branch("callsRefuse", 0, 1);
        e.abrupt("callsRefuse(I)I", 1);
        Expect.print();
        callsRefuse(-1);
        break;
      default:
        throw new IllegalArgumentException(args[0]);
    }
  }
}
