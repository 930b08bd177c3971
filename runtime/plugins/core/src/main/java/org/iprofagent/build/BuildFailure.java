package org.iprofagent.build;

/** Why a build must fail, in words for its user. */
public final class BuildFailure extends Exception {
    private static final long serialVersionUID = 1;

    public BuildFailure(String message) {
        super(message);
    }

    public BuildFailure(String message, Throwable cause) {
        super(message, cause);
    }
}
