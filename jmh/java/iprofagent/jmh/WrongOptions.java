package iprofagent.jmh;

/** Options that cannot be used, or a question for help. The message is for the user. Compiled for Java 8, as the class iprof. */
public final class WrongOptions extends Exception {
    private static final long serialVersionUID = 1;

    WrongOptions(String message) {
        super(message);
    }
}
