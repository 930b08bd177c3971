package verify;

/**
 * What the JVM says of one class: "ok" when it linked, and so verified, else the name of the error.
 *
 * <p>Reflection over the declared members links a class without running its initialiser. The constructors are asked for
 * first because they name the fewest other classes; the VM links before it resolves the types in signatures, and an error
 * is remembered by the VM, so that a class counts as linked only if the question was answered whole.
 */
final class Outcome {
  static final String OK = "ok";

  private Outcome() {}

  static String ofLinking(Loading loading) {
    try {
      Class<?> type = loading.load();
      if (type == null) return "not found";
      type.getDeclaredConstructors();
      type.getDeclaredFields();
      return OK;
    } catch (VerifyError | ClassFormatError e) {
      return e.getClass().getName() + detail(e);
    } catch (Throwable e) {
      return e.getClass().getName();
    }
  }

  /** The first lines of a verifier's message say where and why; the dump of the bytecode after them helps nobody here. */
  private static String detail(Throwable e) {
    String message = String.valueOf(e.getMessage());
    int end = message.indexOf("Bytecode:");
    if (end >= 0) message = message.substring(0, end);
    return ": " + message.replace('\n', ' ').replace('\t', ' ').replaceAll(" +", " ").trim();
  }

  static boolean isVerdict(String outcome) {
    return outcome.startsWith("java.lang.VerifyError") || outcome.startsWith("java.lang.ClassFormatError");
  }

  interface Loading {
    Class<?> load() throws Throwable;
  }
}
