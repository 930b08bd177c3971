package org.iprofagent.gradle;

import java.io.File;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

import org.gradle.api.GradleException;
import org.gradle.api.Plugin;
import org.gradle.api.Project;
import org.gradle.api.Task;
import org.gradle.api.file.Directory;
import org.gradle.api.file.FileCollection;
import org.gradle.api.file.ProjectLayout;
import org.gradle.api.logging.Logger;
import org.gradle.api.provider.Provider;
import org.gradle.api.tasks.JavaExec;
import org.gradle.api.tasks.SourceSet;
import org.gradle.api.tasks.SourceSetContainer;
import org.gradle.api.tasks.testing.Test;

import org.iprofagent.build.AgentArgument;
import org.iprofagent.build.BuildFailure;
import org.iprofagent.build.BuildLog;
import org.iprofagent.build.Natives;
import org.iprofagent.build.ProfileSteps;

/**
 * With {@code -PiprofRecord} it puts the agent into the tasks that {@code iprof { runs = … }} names. Its own tasks: iprofPrepare, iprofMerge,
 * iprofCheck, iprofReport.
 *
 * <p>It uses only what Gradle 4.4.1 and the API that it is compiled against have in common.
 */
public final class IprofPlugin implements Plugin<Project> {
    private static final String GROUP = "profile";
    private static final String RECORDS = "iprofRecord";  // not "iprof", which is a property of each project, because of the extension

    @Override
    public void apply(Project project) {
        IprofExtension settings = new IprofExtension();
        settings.setRecorded(new File(buildFolder(project), "iprof"));
        settings.setProfile(project.file(ProfileSteps.PROFILE));
        project.getExtensions().add("iprof", settings);
        Task prepare = task(project, "iprofPrepare", "Writes the agent's library to the build's folder, and removes profiles of earlier builds.");
        Task merge = task(project, "iprofMerge", "Makes the profile for the image of what this build recorded (-PiprofRecord).");
        Task check = task(project, "iprofCheck", "Says whether the profile is good enough; fails if too little of it fits.");
        Task report = task(project, "iprofReport", "Writes a page about the profile.");
        check.mustRunAfter(merge);
        report.mustRunAfter(merge);
        project.afterEvaluate(evaluated -> {
            boolean records = evaluated.hasProperty(RECORDS);
            Path folder = evaluated.getProjectDir().toPath();
            Path recorded = settings.getRecorded().toPath();
            prepare.doLast(each -> step(() -> {
                ProfileSteps.makeRoom(recorded, Instant.now());
                Natives.library(path(settings.getLibrary()), Natives.folder(recorded));
            }));
            if (records) {
                for (String run : settings.getRuns()) {
                    record(evaluated.getTasks().getByName(run), settings, prepare);
                    merge.dependsOn(run);
                }
                check.dependsOn(merge);
                report.dependsOn(merge);
            }
            merge.doLast(each -> step(() -> {
                if (!records) throw new BuildFailure("nothing is recorded: run Gradle with -P" + RECORDS);
                steps(settings, folder, each.getLogger()).merge(recorded, paths(settings.getInputs()), settings.getWeights());
            }));
            FileCollection classpath = settings.getClasspath() != null ? settings.getClasspath() : main(evaluated).getRuntimeClasspath();
            Collection<File> sources = settings.getClasspath() != null ? List.of() : main(evaluated).getAllJava().getSrcDirs();
            check.dependsOn(classpath);
            check.doLast(each -> step(() -> steps(settings, folder, each.getLogger())
                    .check(paths(classpath.getFiles()), path(settings.getJdk()), settings.getMinApplicable())));
            File page = settings.getReport() != null ? settings.getReport() : recorded.resolve("app.html").toFile();
            report.dependsOn(classpath);
            report.doLast(each -> step(() -> steps(settings, folder, each.getLogger()).report(page.toPath(), paths(classpath.getFiles()), paths(sources))));
        });
    }

    private static Task task(Project project, String name, String description) {
        Task task = project.getTasks().create(name);
        task.setGroup(GROUP);
        task.setDescription(description);
        return task;
    }

    private static void record(Task task, IprofExtension settings, Task prepare) {
        Path recorded = settings.getRecorded().toPath();
        List<String> exclude = task instanceof Test ? settings.getTestExcludes() : List.of();
        step(() -> {
            String agent = AgentArgument.of(Natives.libraryPath(path(settings.getLibrary()), Natives.folder(recorded)),
                    recorded.resolve(task.getName() + ".iprof"), exclude, settings.getOptions());
            if (task instanceof Test test) {
                test.jvmArgs(agent);
            } else if (task instanceof JavaExec program) {
                program.jvmArgs(agent);
            } else {
                throw new BuildFailure("the agent cannot be put into the task " + task.getName() + ", which is not of type Test or JavaExec");
            }
        });
        task.dependsOn(prepare);
        task.getOutputs().upToDateWhen(each -> false);
    }

    private static ProfileSteps steps(IprofExtension settings, Path project, Logger logger) throws BuildFailure {
        Path tool = Natives.tool(path(settings.getTool()), Natives.folder(settings.getRecorded().toPath()));
        return new ProfileSteps(tool, project, settings.getProfile().toPath(), new BuildLog() {
            @Override
            public void info(String line) {
                logger.lifecycle(line);
            }

            @Override
            public void warn(String line) {
                logger.warn(line);
            }
        });
    }

    /** A step of org.iprofagent.build. */
    private interface Step {
        void run() throws BuildFailure;
    }

    private static void step(Step step) {
        try {
            step.run();
        } catch (BuildFailure why) {
            throw new GradleException(why.getMessage(), why);
        }
    }

    private static SourceSet main(Project project) {
        if (project.findProperty("sourceSets") instanceof SourceSetContainer all) return all.getByName(SourceSet.MAIN_SOURCE_SET_NAME);
        throw new GradleException("the plugin org.iprofagent needs a plugin for Java, or iprof { classpath = … }");
    }

    /** Gradle 4 gives another type than later versions, which javac would write into the call. */
    private static File buildFolder(Project project) {
        try {
            Object folder = ProjectLayout.class.getMethod("getBuildDirectory").invoke(project.getLayout());
            return ((Directory) ((Provider<?>) folder).get()).getAsFile();
        } catch (ReflectiveOperationException none) {
            throw new GradleException("this version of Gradle has no folder for builds: " + none, none);
        }
    }

    private static Path path(File file) {
        return file == null ? null : file.toPath();
    }

    private static Collection<Path> paths(Collection<File> files) {
        Collection<Path> paths = new ArrayList<>();
        files.forEach(file -> paths.add(file.toPath()));
        return paths;
    }
}
