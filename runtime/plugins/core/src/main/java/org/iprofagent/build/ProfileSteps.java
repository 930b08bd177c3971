package org.iprofagent.build;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * What the plugins do with profiles: the goals and tasks call one method each.
 *
 * <p>Guarantees: merge() replaces the profile only by a whole one. check() and report() change no profile.
 *
 * <p>Threads: one at a time. Failure: a BuildFailure, whose message is what the tool said, without "iprof: warning: ".
 *
 * <p>Example: target/iprof has tests.iprof and load.iprof, and the weights are {load=10}. Then merge() runs
 * "iprof merge -o src/pgo-profiles/main/app.iprof -w 10,target/iprof/load.iprof --input-dir target/iprof".
 */
public final class ProfileSteps {
    /** Where GraalVM's native-build-tools look for profiles of the main program, seen from the project. */
    public static final String PROFILE = "src/pgo-profiles/main/app.iprof";
    /** The share of the weight that must fit the program. */
    public static final String MIN_APPLICABLE = "90%";

    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final int USABLE = 0;
    private static final int WITH_DOUBTS = 1;
    private static final int NOT_USABLE = 6;

    private static final Pattern REASON = Pattern.compile("\\[[a-z-]+\\]$");

    private final Tool tool;
    private final Path project;
    private final Path profile;
    private final BuildLog log;

    /**
     * @param project its folder: messages name the profile from there
     */
    public ProfileSteps(Path tool, Path project, Path profile, BuildLog log) {
        this.tool = new Tool(tool, project);
        this.project = project;
        this.profile = profile;
        this.log = log;
    }

    /** Before JVMs record into a folder: removes the profiles that are older than this build. */
    public static void makeRoom(Path recorded, Instant start) throws BuildFailure {
        new Recordings(recorded).makeRoom(start);
    }

    /**
     * Makes the profile of all profiles in a folder, and of other inputs: profiles, or folders of them.
     *
     * @param weights of runs by name, such as load=10; the others count once
     */
    public void merge(Path recorded, Collection<Path> inputs, Map<String, Integer> weights) throws BuildFailure {
        Recordings recordings = new Recordings(recorded);
        for (String name : recordings.awaitEnd(PATIENCE)) log.warn("a JVM still records " + recorded.resolve(name) + ": only what it has so far is merged");
        List<String> command = new ArrayList<>(List.of("merge", "-o", name()));
        for (Map.Entry<String, Integer> each : weights.entrySet()) {
            Path file = recordings.of(each.getKey()).orElseThrow(() -> new BuildFailure("nothing was recorded as '" + each.getKey()
                    + "', which has a weight: there is no " + recorded.resolve(each.getKey() + ".iprof")));
            command.addAll(List.of("-w", each.getValue() + "," + file));
        }
        if (!recordings.isEmpty()) {
            command.addAll(List.of("--input-dir", recorded.toString()));
        } else if (inputs.isEmpty()) {
            throw new BuildFailure("there is no profile in " + recorded + ": did a JVM of this build run with the agent?");
        }
        for (Path input : inputs) {
            if (Files.isDirectory(input)) command.add("--input-dir");
            command.add(input.toString());
        }
        try {
            Files.createDirectories(profile.toAbsolutePath().getParent());
        } catch (IOException why) {
            throw new BuildFailure(profile.getParent() + " cannot be made: " + why.getMessage(), why);
        }
        Tool.Outcome outcome = tool.run(command);
        if (outcome.code() != 0) throw new BuildFailure(outcome.message());
        outcome.lines().forEach(log::warn);  // a merge without doubts prints nothing
        log.info("merged into " + name());
    }

    /**
     * Prints the verdict of {@code iprof advise}, and fails if the profile breaks a rule of the format, or if too little of it fits.
     *
     * @param classPath of the program, as in the image; what does not exist is left out
     * @param jdk also compare with this JDK's classes; null: only with those of the class path
     * @param minApplicable the share of the weight that must fit, such as "90%"
     */
    public void check(Collection<Path> classPath, Path jdk, String minApplicable) throws BuildFailure {
        needProfile();
        List<String> against = new ArrayList<>();
        String existing = existing(classPath);
        if (!existing.isEmpty()) against.addAll(List.of("--classpath", existing));
        if (jdk != null) against.addAll(List.of("--jdk", jdk.toString()));
        advise(against);
        List<String> command = new ArrayList<>(List.of("check", "-q"));
        command.addAll(against);
        if (!against.isEmpty()) command.addAll(List.of("--min-applicable", minApplicable));
        command.add(name());
        Tool.Outcome outcome = tool.run(command);
        if (outcome.code() != 0) throw new BuildFailure(outcome.message());
        outcome.lines().forEach(log::info);
    }

    private void advise(List<String> against) throws BuildFailure {
        List<String> command = new ArrayList<>(List.of("advise"));
        command.addAll(against);
        command.add(name());
        Tool.Outcome outcome = tool.run(command);
        switch (outcome.code()) {
            case USABLE, WITH_DOUBTS, NOT_USABLE -> {
                for (String line : outcome.lines()) {
                    boolean isVerdict = line.startsWith(name() + ": ") && outcome.code() != USABLE;
                    if (line.startsWith("build: ")) continue;  // this build does that itself
                    if (isVerdict || REASON.matcher(line).find()) {
                        log.warn(line);
                    } else {
                        log.info(line);
                    }
                }
            }
            default -> throw new BuildFailure(outcome.message());
        }
    }

    /** Writes a page with bytecode and sources, to open in a browser. */
    public void report(Path page, Collection<Path> classPath, Collection<Path> sources) throws BuildFailure {
        needProfile();
        List<String> command = new ArrayList<>(List.of("report", name(), "-o", page.toString()));
        String existing = existing(classPath);
        if (!existing.isEmpty()) command.addAll(List.of("--classes", existing));
        for (Path each : sources) {
            if (Files.exists(each)) command.addAll(List.of("--sources", each.toString()));
        }
        try {
            Files.createDirectories(page.toAbsolutePath().getParent());
        } catch (IOException why) {
            throw new BuildFailure(page.getParent() + " cannot be made: " + why.getMessage(), why);
        }
        Tool.Outcome outcome = tool.run(command);
        if (outcome.code() != 0) throw new BuildFailure(outcome.message());
        outcome.lines().forEach(log::info);
    }

    private void needProfile() throws BuildFailure {
        if (!Files.exists(profile)) throw new BuildFailure("there is no profile " + name() + ": merge makes it");
    }

    private String name() {
        return (profile.startsWith(project) ? project.relativize(profile) : profile).toString();
    }

    private static String existing(Collection<Path> classPath) {
        return classPath.stream().filter(Files::exists).map(Path::toString).collect(Collectors.joining(File.pathSeparator));
    }
}
