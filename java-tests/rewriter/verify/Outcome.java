package verify;

/**
 * The outcome of linking a class: "ok" if it was linked, and so verified, otherwise the name of the error.
 *
 * <p>Reflection over the declared members links a class without running its initialiser. Constructors come first
 * because they name the fewest other classes. The VM links before it resolves the types in signatures, and remembers
 * errors, so a class counts as linked only if all members were returned.
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

  /**
   * Keeps the first lines of a verifier's message, which say where and why; the bytecode dump after them is not needed.
   */
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
