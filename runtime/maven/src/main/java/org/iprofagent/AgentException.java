package org.iprofagent;

/** Why the agent did not do what it was asked for, in one sentence. The program can go on. */
public final class AgentException extends RuntimeException {
    private static final long serialVersionUID = 1;

    /** What happened to the request. */
    public enum Kind {
        /** It did not reach the agent: there is no library for this system, or the JVM does not load it. */
        UNAVAILABLE,
        /** The agent refused it, for example because of a bad option, and changed nothing. */
        REFUSED,
        /** The agent began it and did not succeed, or did not answer in time. */
        FAILED
    }

    private final Kind kind;

    AgentException(Kind kind, String message) {
        super(message);
        this.kind = kind;
    }

    AgentException(Kind kind, String message, Throwable cause) {
        super(message, cause);
        this.kind = kind;
    }

    /** What happened to the request. */
    public Kind kind() {
        return kind;
    }
}
