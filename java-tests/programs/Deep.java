package programs;

/** Ends the VM in the innermost of many frames, none of which reaches the branch after its call. */
public final class Deep {
  private static int even;
  private static int odd;

  public static void main(String[] arguments) throws InterruptedException {
    int depth = Integer.parseInt(arguments[0]);
    // A new thread, because the launcher's main thread may have a small stack.
    Thread thread = new Thread(null, () -> descend(depth), "deep", 64 << 20);
    thread.start();
    thread.join();
  }

  private static void descend(int depth) {
    if (depth == 0) System.exit(0);
    descend(depth - 1);
    if (depth % 2 == 0) even++;
    else odd++;
  }

  private Deep() {}
}
