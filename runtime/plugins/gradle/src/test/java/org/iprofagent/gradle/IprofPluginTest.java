package org.iprofagent.gradle;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

import org.gradle.api.GradleException;
import org.gradle.api.Project;
import org.gradle.api.Task;
import org.gradle.api.internal.project.ProjectInternal;
import org.gradle.api.tasks.JavaExec;
import org.gradle.process.JavaForkOptions;
import org.gradle.testfixtures.ProjectBuilder;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/** The plugin in a project of the Gradle that it is compiled against, which runs no build. */
public class IprofPluginTest {
    @Rule public final TemporaryFolder folder = new TemporaryFolder();

    private Project project;
    private Path place;

    @Before
    public void projectWithPlugin() throws IOException {
        place = folder.getRoot().toPath().toRealPath();
        project = ProjectBuilder.builder().withProjectDir(place.toFile()).build();
        project.getPluginManager().apply("java");
        project.getPluginManager().apply("org.iprofagent");
        project.getTasks().register("load", JavaExec.class);
    }

    private IprofExtension settings() {
        return project.getExtensions().getByType(IprofExtension.class);
    }

    private void evaluate(boolean records) {
        if (records) project.getExtensions().getExtraProperties().set("iprofRecord", "");
        // evaluate() would also generate classes, for which Gradle needs its distribution.
        ProjectInternal inside = (ProjectInternal) project;
        inside.getProjectEvaluationBroadcaster().afterEvaluate(project, inside.getState());
    }

    private void run(String name) {
        Task task = project.getTasks().getByName(name);
        task.getActions().forEach(action -> action.execute(task));
    }

    private List<String> argumentsOf(String task) {
        return ((JavaForkOptions) project.getTasks().getByName(task)).getJvmArgs();
    }

    private boolean dependsOn(String task, String other) {
        Task of = project.getTasks().getByName(task);
        return of.getTaskDependencies().getDependencies(of).contains(project.getTasks().getByName(other));
    }

    @Test
    public void runsHaveTheAgent() {
        settings().setRuns(List.of("test", "load"));
        settings().setOptions("samples=n");
        evaluate(true);
        String library = place + "/build/iprof/native/libiprofagent.so";
        assertEquals(List.of("-agentpath:" + library + "=out=" + place + "/build/iprof/load.iprof,merge=y,samples=n"), argumentsOf("load"));
        assertEquals(1, argumentsOf("test").size());
        assertTrue(argumentsOf("test").toString().contains("/test.iprof,merge=y,samples=n,exclude=org.junit.*+"));
        assertTrue(dependsOn("test", "iprofPrepare"));
        assertTrue(dependsOn("iprofMerge", "load"));
        assertTrue(dependsOn("iprofCheck", "iprofMerge"));
        run("iprofPrepare");
        assertTrue(new File(library).canExecute());
    }

    @Test
    public void whoDoesNotAskForItGetsAnOrdinaryBuild() {
        settings().setRuns(List.of("test", "load"));
        evaluate(false);
        assertEquals(List.of(), argumentsOf("test"));
        assertFalse(dependsOn("test", "iprofPrepare"));
        assertFalse("it checks the profile that is there", dependsOn("iprofCheck", "iprofMerge"));
        GradleException why = assertThrows(GradleException.class, () -> run("iprofMerge"));
        assertEquals("nothing is recorded: run Gradle with -PiprofRecord", why.getMessage());
    }

    @Test
    public void tasksCallTheTool() throws IOException {
        Path tool = place.resolve("tool");
        Files.writeString(tool, "#!/bin/sh\necho \"$@\" >> calls\n[ $1 = merge ] && : > src/pgo-profiles/main/app.iprof\n"
                + "[ $1 = check ] && echo 'iprof: warning: too little' && exit 1\nexit 0\n");
        tool.toFile().setExecutable(true);
        Files.createDirectories(place.resolve("build/iprof"));
        Files.createFile(place.resolve("build/iprof/load.iprof"));
        Path classes = Files.createDirectories(place.resolve("build/classes/java/main"));
        settings().setTool(tool.toFile());
        settings().setWeights(Map.of("load", 3));
        settings().setMinApplicable("99%");
        evaluate(true);
        run("iprofMerge");
        run("iprofReport");
        GradleException why = assertThrows(GradleException.class, () -> run("iprofCheck"));
        assertEquals("too little", why.getMessage());
        String profile = "src/pgo-profiles/main/app.iprof";
        assertEquals("merge -o " + profile + " -w 3,build/iprof/load.iprof --input-dir build/iprof\n"
                + "report " + profile + " -o build/iprof/app.html --classes " + classes + "\n"
                + "advise --classpath " + classes + " " + profile + "\n"
                + "check -q --classpath " + classes + " --min-applicable 99% " + profile + "\n",
                Files.readString(place.resolve("calls")).replace(place + "/build/iprof", "build/iprof"));
    }

    @Test
    public void anotherTaskCannotHaveTheAgent() {
        settings().setRuns(List.of("classes"));
        assertThrows(RuntimeException.class, () -> evaluate(true));
    }
}
