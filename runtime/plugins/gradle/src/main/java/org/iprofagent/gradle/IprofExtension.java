package org.iprofagent.gradle;

import java.io.File;
import java.util.List;
import java.util.Map;

import org.gradle.api.file.FileCollection;

import org.iprofagent.build.AgentArgument;
import org.iprofagent.build.ProfileSteps;

/** What a build says in {@code iprof { … }}. Plain values, because all versions of Gradle know those. */
public class IprofExtension {
    private List<String> runs = List.of("test");
    private Map<String, Integer> weights = Map.of();
    private List<File> inputs = List.of();
    private String options;
    private List<String> testExcludes = AgentArgument.TEST_CODE;
    private String minApplicable = ProfileSteps.MIN_APPLICABLE;
    private FileCollection classpath;
    private File jdk;
    private File recorded;
    private File profile;
    private File report;
    private File library;
    private File tool;

    /** Tasks of type Test or JavaExec that run with the agent. Each writes a profile of its name, such as test.iprof. */
    public List<String> getRuns() {
        return runs;
    }

    public void setRuns(List<String> runs) {
        this.runs = List.copyOf(runs);
    }

    /** How often a run counts, by the name of its task. Default: once. */
    public Map<String, Integer> getWeights() {
        return weights;
    }

    public void setWeights(Map<String, Integer> weights) {
        this.weights = Map.copyOf(weights);
    }

    /** More profiles, or folders of profiles, such as those of other projects. */
    public List<File> getInputs() {
        return inputs;
    }

    public void setInputs(List<File> inputs) {
        this.inputs = List.copyOf(inputs);
    }

    /** More options of the agent, joined by commas. */
    public String getOptions() {
        return options;
    }

    public void setOptions(String options) {
        this.options = options;
    }

    /** Patterns of classes that are not counted in tests. Default: test frameworks. */
    public List<String> getTestExcludes() {
        return testExcludes;
    }

    public void setTestExcludes(List<String> testExcludes) {
        this.testExcludes = List.copyOf(testExcludes);
    }

    /** The share of the counts that must fit the program. */
    public String getMinApplicable() {
        return minApplicable;
    }

    public void setMinApplicable(String minApplicable) {
        this.minApplicable = minApplicable;
    }

    /** The program as the image has it. Default: what the main program runs with. */
    public FileCollection getClasspath() {
        return classpath;
    }

    public void setClasspath(FileCollection classpath) {
        this.classpath = classpath;
    }

    /** The folder of the JDK that builds the image, to compare with its classes, too. */
    public File getJdk() {
        return jdk;
    }

    public void setJdk(File jdk) {
        this.jdk = jdk;
    }

    /** The folder in which this build's JVMs write their profiles. Default: iprof in the build's folder. */
    public File getRecorded() {
        return recorded;
    }

    public void setRecorded(File recorded) {
        this.recorded = recorded;
    }

    /** The profile for the image. Default: where GraalVM's plugin looks. */
    public File getProfile() {
        return profile;
    }

    public void setProfile(File profile) {
        this.profile = profile;
    }

    /** The page that iprofReport writes. Default: app.html beside the recorded profiles. */
    public File getReport() {
        return report;
    }

    public void setReport(File report) {
        this.report = report;
    }

    /** The agent's library, if not that of the artefact iprof-agent. */
    public File getLibrary() {
        return library;
    }

    public void setLibrary(File library) {
        this.library = library;
    }

    /** The iprof tool, if not that of the artefact iprof-agent. */
    public File getTool() {
        return tool;
    }

    public void setTool(File tool) {
        this.tool = tool;
    }
}
