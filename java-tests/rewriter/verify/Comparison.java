package verify;

/** The rule of the harness: rewriting may not make a class worse. */
final class Comparison {
  private Comparison() {}

  static boolean isFailure(String before, String after) {
    if (before.equals(after)) return false;
    if (before.equals(Outcome.OK)) return true;
    // The verifier refused the original class: the rewritten one may be refused elsewhere, with another message.
    if (Outcome.isVerdict(before)) return !Outcome.isVerdict(after) && !after.equals(Outcome.OK);
    return true;
  }
}
