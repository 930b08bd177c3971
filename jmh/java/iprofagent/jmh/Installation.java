package iprofagent.jmh;

import java.io.IOException;
import java.io.InputStream;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.stream.Stream;

/**
 * The agent's library and the tool that this profiler uses.
 *
 * <p>They are searched for, in this order: where the user says (the profiler's options, or the system properties
 * {@code iprof.agent} and {@code iprof.tool}); beside this jar; where an installation has them, seen from this jar; and on
 * the PATH, where a library may be beside the tool or where an installation has it, seen from the tool.
 */
record Installation(Path agent, Path tool) {
    private static final String LIBRARY = "libiprofagent.so";
    private static final String TOOL = "iprof";
    /** Made by the build: where an installation has things, seen from the jar and from the tool. */
    private static final String PLACES = "places.properties";

    static Installation find(Settings settings) throws WrongOptions {
        Properties places = places();
        Path jar = folderOfJar();
        List<Path> onPath = Stream.of(System.getenv().getOrDefault("PATH", "").split(":")).filter(folder -> !folder.isEmpty()).map(Path::of).toList();
        List<Path> ofTool = new ArrayList<>();
        List<Path> ofLibrary = new ArrayList<>();
        if (jar != null) {
            ofTool.add(jar);
            ofTool.add(jar.resolve(places.getProperty("tool-from-jar")));
            ofLibrary.add(jar);
            ofLibrary.add(jar.resolve(places.getProperty("library-from-jar")));
        }
        ofTool.addAll(onPath);
        for (Path folder : onPath) {
            if (Files.isExecutable(folder.resolve(TOOL))) {
                ofLibrary.add(folder);
                ofLibrary.add(folder.resolve(places.getProperty("library-from-tool")));
            }
        }
        return new Installation(
                choose("agent", "the agent's library", LIBRARY, settings.agent(), ofLibrary),
                choose("tool", "the tool", TOOL, settings.tool(), ofTool));
    }

    private static Path choose(String option, String what, String name, Path given, List<Path> folders) throws WrongOptions {
        String property = System.getProperty("iprof." + option);
        Path chosen = given != null ? given : property != null ? Path.of(property) : null;
        if (chosen != null) {
            if (Files.isRegularFile(chosen)) {
                return chosen.toAbsolutePath();
            }
            throw new WrongOptions("iprof: " + what + " is not in " + chosen + ", as " + option + "= says.");
        }
        for (Path folder : folders) {
            if (Files.isRegularFile(folder.resolve(name))) {
                return folder.resolve(name).toAbsolutePath().normalize();
            }
        }
        List<Path> searched = folders.stream().map(folder -> folder.resolve(name).normalize()).distinct().toList();
        throw new WrongOptions("iprof: " + what + ", " + name + ", is not here: say where it is with -prof \"iprof:" + option + "=FILE\"."
                + (searched.isEmpty() ? "" : " It was searched for as " + String.join(", ", searched.stream().map(Path::toString).toList()) + "."));
    }

    private static Properties places() {
        Properties places = new Properties();
        try (InputStream bytes = Installation.class.getResourceAsStream(PLACES)) {
            places.load(bytes);
        } catch (IOException e) {
            throw new IllegalStateException("the jar has no " + PLACES, e);
        }
        return places;
    }

    /** Null if that is unknown: a class loader may come from anywhere. */
    private static Path folderOfJar() {
        try {
            Path source = Path.of(Installation.class.getProtectionDomain().getCodeSource().getLocation().toURI());
            return source.toAbsolutePath().getParent();
        } catch (URISyntaxException | RuntimeException e) {
            return null;
        }
    }
}
