package org.iprofagent.maven;

import java.io.File;
import java.nio.file.Path;

import org.apache.maven.plugins.annotations.LifecyclePhase;
import org.apache.maven.plugins.annotations.Mojo;
import org.apache.maven.plugins.annotations.Parameter;
import org.apache.maven.plugins.annotations.ResolutionScope;

import org.iprofagent.build.BuildFailure;

/** Writes a page about the profile, with bytecode and sources, to open in a browser. */
@Mojo(name = "report", defaultPhase = LifecyclePhase.VERIFY, threadSafe = true, requiresDependencyResolution = ResolutionScope.RUNTIME)
public final class ReportMojo extends IprofMojo {
    /** The page. */
    @Parameter(property = "iprof.report", defaultValue = "${project.build.directory}/iprof/app.html")
    private File report;

    @Override
    void run() throws BuildFailure {
        steps().report(report.toPath(), classPath(null), project.getCompileSourceRoots().stream().map(Path::of).toList());
    }
}
