package org.iprofagent;

import java.util.Map;

/** What the agent answers to a load or a command: {@code {"outcome":"done","message":"…","status":{…}}}. */
record Answer(String outcome, String message, AgentStatus status) {
    /** Fails where it is no answer. */
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
