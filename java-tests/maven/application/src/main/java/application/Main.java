package application;

import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import org.iprofagent.AgentException;
import org.iprofagent.AgentStatus;
import org.iprofagent.IprofAgent;

/**
 * Does what its arguments say, one after the other, and prints a line for each: {@code rounds=3} works, {@code pause} waits for a line
 * of input, {@code where} prints the path of the agent's library, {@code elsewhere=FILE} stops
 * through the jar in another class loader, and the rest are calls of the API, such as {@code stop=a.iprof}.
 */
public final class Main {
    private static int rounds;

    public static void main(String[] arguments) throws IOException {
        for (String argument : arguments) {
            int equals = argument.indexOf('=');
            String name = equals < 0 ? argument : argument.substring(0, equals);
            String value = equals < 0 ? null : argument.substring(equals + 1);
            try {
                System.out.println(name + ": " + run(name, value));
            } catch (AgentException why) {
                System.out.println(name + ": " + why.kind() + ": " + why.getMessage());
            }
        }
        System.out.println("rounds in all: " + rounds);
    }

    private static String run(String name, String value) throws IOException {
        switch (name) {
            case "load":
                return IprofAgent.load(value);
            case "start":
                return value == null ? IprofAgent.start() : IprofAgent.start(Path.of(value));
            case "stop":
                return value == null ? IprofAgent.stop() : IprofAgent.stop(Path.of(value));
            case "dump":
                return value == null ? IprofAgent.dump() : IprofAgent.dump(Path.of(value));
            case "reset":
                return IprofAgent.reset();
            case "status":
                AgentStatus status = IprofAgent.status();
                return status.state() + ", loaded " + status.isLoaded() + ", recording " + status.isRecording() + ", pid "
                        + (status.number("pid") == ProcessHandle.current().pid()) + ", out " + status.text("out");
            case "rounds":
                for (int i = Integer.parseInt(value); i > 0; i--) round();
                return value;
            case "module":
                return String.valueOf(IprofAgent.class.getModule().getName());
            case "where":
                return Files.readAllLines(Path.of("/proc/self/maps")).stream().filter(line -> line.contains("libiprofagent.so"))
                        .map(line -> line.substring(line.indexOf('/'))).findFirst().orElse("nowhere");
            case "elsewhere":
                return stopInAnotherClassLoader(Path.of(value));
            case "pause":
                return String.valueOf(System.in.read());
            default:
                throw new IllegalArgumentException(name);
        }
    }

    /** As a second web application with the same jar would. */
    private static String stopInAnotherClassLoader(Path out) throws IOException {
        URL jar = IprofAgent.class.getProtectionDomain().getCodeSource().getLocation();
        try (URLClassLoader loader = new URLClassLoader(new URL[] {jar}, ClassLoader.getPlatformClassLoader())) {
            Class<?> agent = loader.loadClass(IprofAgent.class.getName());
            if (agent == IprofAgent.class) throw new IllegalStateException("the same class");
            return (String) agent.getMethod("stop", Path.class).invoke(null, out);
        } catch (ReflectiveOperationException failed) {
            throw new IllegalStateException(failed);
        }
    }

    private static void round() {
        rounds++;
    }
}
