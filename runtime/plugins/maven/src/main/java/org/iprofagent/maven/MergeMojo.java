package org.iprofagent.maven;

import java.io.File;
import java.util.List;
import java.util.Map;

import org.apache.maven.plugins.annotations.LifecyclePhase;
import org.apache.maven.plugins.annotations.Mojo;
import org.apache.maven.plugins.annotations.Parameter;

import org.iprofagent.build.BuildFailure;

/** Makes the profile for the image of what this build recorded. */
@Mojo(name = "merge", defaultPhase = LifecyclePhase.VERIFY, threadSafe = true)
public final class MergeMojo extends IprofMojo {
    /** How often a run counts, by its name: tests or load. Default: once. */
    @Parameter
    private Map<String, Integer> weights = Map.of();

    /** More profiles, or folders of profiles, such as those of other modules. */
    @Parameter(property = "iprof.inputs")
    private List<File> inputs = List.of();

    @Override
    void run() throws BuildFailure {
        steps().merge(recorded(), paths(inputs), weights);
    }

    @Override
    boolean isForModulesOnly() {
        return super.isForModulesOnly() && inputs.isEmpty();
    }
}
