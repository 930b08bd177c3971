package org.iprofagent.maven;

import java.io.File;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

import org.apache.maven.artifact.DependencyResolutionRequiredException;
import org.apache.maven.execution.MavenSession;
import org.apache.maven.plugin.AbstractMojo;
import org.apache.maven.plugin.MojoFailureException;
import org.apache.maven.plugins.annotations.Parameter;
import org.apache.maven.project.MavenProject;

import org.iprofagent.build.BuildFailure;
import org.iprofagent.build.BuildLog;
import org.iprofagent.build.Natives;
import org.iprofagent.build.ProfileSteps;

/** What all goals have: where profiles, library and tool are. A BuildFailure fails the build with its message alone. */
abstract class IprofMojo extends AbstractMojo {
    @Parameter(defaultValue = "${project}", readonly = true, required = true)
    MavenProject project;

    @Parameter(defaultValue = "${session}", readonly = true, required = true)
    MavenSession session;

    /** Do nothing. */
    @Parameter(property = "iprof.skip", defaultValue = "false")
    private boolean skip;

    /** The folder in which this build's JVMs write their profiles: tests.iprof, load.iprof. */
    @Parameter(property = "iprof.recorded", defaultValue = "${project.build.directory}/iprof")
    private File recorded;

    /** The profile for the image. */
    @Parameter(property = "iprof.profile", defaultValue = "${project.basedir}/" + ProfileSteps.PROFILE)
    private File profile;

    /** The agent's library, if not that of the artefact iprof-agent. */
    @Parameter(property = "iprof.library")
    private File library;

    /** The iprof tool, if not that of the artefact iprof-agent. */
    @Parameter(property = "iprof.tool")
    private File tool;

    @Override
    public final void execute() throws MojoFailureException {
        if (skip || isForModulesOnly()) return;
        try {
            run();
        } catch (BuildFailure why) {
            throw new MojoFailureException(why.getMessage(), why);
        }
    }

    abstract void run() throws BuildFailure;

    /** Whether the goal has nothing to do in a project that only has modules. */
    boolean isForModulesOnly() {
        return project.getPackaging().equals("pom");
    }

    Path recorded() {
        return recorded.toPath();
    }

    Path library() throws BuildFailure {
        return Natives.library(path(library), Natives.folder(recorded()));
    }

    ProfileSteps steps() throws BuildFailure {
        return new ProfileSteps(Natives.tool(path(tool), Natives.folder(recorded())), project.getBasedir().toPath(), profile.toPath(), new BuildLog() {
            @Override
            public void info(String line) {
                getLog().info(line);
            }

            @Override
            public void warn(String line) {
                getLog().warn(line);
            }
        });
    }

    /** The program as the image has it. */
    Collection<Path> classPath(List<File> named) throws BuildFailure {
        if (named != null && !named.isEmpty()) return paths(named);
        try {
            return project.getRuntimeClasspathElements().stream().map(Path::of).toList();
        } catch (DependencyResolutionRequiredException why) {
            throw new BuildFailure("the class path is not known: " + why.getMessage(), why);
        }
    }

    static Path path(File file) {
        return file == null ? null : file.toPath();
    }

    static Collection<Path> paths(List<File> files) {
        Collection<Path> paths = new ArrayList<>();
        if (files != null) files.forEach(file -> paths.add(file.toPath()));
        return paths;
    }
}
