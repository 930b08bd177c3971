package org.iprofagent;

import java.lang.management.ManagementFactory;
import javax.management.InstanceNotFoundException;
import javax.management.JMException;
import javax.management.MBeanException;
import javax.management.ObjectName;
import javax.management.RuntimeMBeanException;

/**
 * HotSpot's diagnostic commands, those of jcmd, run inside this JVM.
 *
 * <p>Why this way: it needs no JDK, no attach socket and no second process, and works with {@code -XX:+DisableAttachMechanism}.
 *
 * <p>Failure: an AgentException of kind UNAVAILABLE where this JVM has no such command.
 */
final class DiagnosticCommand {
    private static final String MBEAN = "com.sun.management:type=DiagnosticCommand";

    private DiagnosticCommand() {}

    /** Loads a native agent, or gives these options to the one that is loaded. What HotSpot prints. */
    static String loadAgent(String library, String options) {
        return run("jvmtiAgentLoad", quoted(library), quoted(options));
    }

    /** Lets agents write what they have. */
    static void dataDump() {
        run("jvmtiDataDump");
    }

    private static String run(String operation, String... arguments) {
        try {
            boolean hasArguments = arguments.length > 0;
            Object answer = ManagementFactory.getPlatformMBeanServer().invoke(new ObjectName(MBEAN), operation,
                    hasArguments ? new Object[] {arguments} : new Object[0],
                    hasArguments ? new String[] {String[].class.getName()} : new String[0]);
            return String.valueOf(answer);
        } catch (InstanceNotFoundException none) {
            throw unavailable("this JVM has no diagnostic commands: it is not HotSpot, or lacks the module jdk.management", none);
        } catch (MBeanException | RuntimeMBeanException refused) {
            throw unavailable("this JVM refuses to load an agent: " + refused.getCause(), refused);
        } catch (JMException none) {
            throw unavailable("this JVM cannot load an agent from inside: " + none, none);
        }
    }

    /** As one argument. HotSpot splits arguments at blanks and '=', and knows no escape for a quote. */
    private static String quoted(String argument) {
        if (argument.chars().anyMatch(Character::isISOControl)) {
            throw new AgentException(AgentException.Kind.REFUSED, "options and paths must not contain control characters");
        }
        if (argument.indexOf('"') < 0) return '"' + argument + '"';
        if (argument.indexOf('\'') < 0) return '\'' + argument + '\'';
        throw new AgentException(AgentException.Kind.REFUSED, "options and paths must not contain both kinds of quotes");
    }

    private static AgentException unavailable(String why, Exception cause) {
        return new AgentException(AgentException.Kind.UNAVAILABLE, why, cause);
    }
}
