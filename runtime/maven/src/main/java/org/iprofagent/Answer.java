package org.iprofagent;

import java.util.Map;

/** What the agent answers to a load or a command: {@code {"iprofagent":1,"outcome":"done","message":"…","status":{…}}}. */
record Answer(String outcome, String message, AgentStatus status) {
    private static final Long VERSION = 1L;

    /** Fails where it is not an answer that this version knows. */
    static Answer parse(String json) {
        Object document;
        try {
            document = new Json(json).document();
        } catch (IllegalArgumentException damaged) {
            throw new AgentException(AgentException.Kind.FAILED, "the agent's answer is damaged: " + damaged.getMessage());
        }
        if (!(document instanceof Map<?, ?> members) || !(members.get("outcome") instanceof String outcome)
                || !(members.get("message") instanceof String message)) {
            throw new AgentException(AgentException.Kind.FAILED, "the agent's answer is damaged: it has no outcome");
        }
        if (!VERSION.equals(members.get("iprofagent"))) {
            throw new AgentException(AgentException.Kind.FAILED,
                    "the agent in this JVM is of another release than this jar: use the jar of its release");
        }
        return new Answer(outcome, message, new AgentStatus(Json.members(members.get("status"))));
    }

    /** The message if it was done. */
    String orThrow() {
        switch (outcome) {
            case "done":
                return message;
            case "refused":
            case "taken": // another load came first
                throw new AgentException(AgentException.Kind.REFUSED, message);
            default:
                throw new AgentException(AgentException.Kind.FAILED, message);
        }
    }
}
