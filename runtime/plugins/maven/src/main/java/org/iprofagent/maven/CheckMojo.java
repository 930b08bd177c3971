package org.iprofagent.maven;

import java.io.File;
import java.util.List;

import org.apache.maven.plugins.annotations.LifecyclePhase;
import org.apache.maven.plugins.annotations.Mojo;
import org.apache.maven.plugins.annotations.Parameter;
import org.apache.maven.plugins.annotations.ResolutionScope;

import org.iprofagent.build.BuildFailure;
import org.iprofagent.build.ProfileSteps;

/** Says whether the profile is good enough, and fails the build if it breaks a rule of the format or too little of it fits the program. */
@Mojo(name = "check", defaultPhase = LifecyclePhase.VERIFY, threadSafe = true, requiresDependencyResolution = ResolutionScope.RUNTIME)
public final class CheckMojo extends IprofMojo {
    /** The share of the counts that must fit the program. */
    @Parameter(property = "iprof.minApplicable", defaultValue = ProfileSteps.MIN_APPLICABLE)
    private String minApplicable;

    /** The program as the image has it. Default: the project's classes and its dependencies at run time. */
    @Parameter(property = "iprof.classpath")
    private List<File> classpath;

    /** The folder of the JDK that builds the image, to compare with its classes, too. */
    @Parameter(property = "iprof.jdk")
    private File jdk;

    @Override
    void run() throws BuildFailure {
        steps().check(classPath(classpath), path(jdk), minApplicable);
    }
}
