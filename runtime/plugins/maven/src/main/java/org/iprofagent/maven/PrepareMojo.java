package org.iprofagent.maven;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;

import org.apache.maven.model.ConfigurationContainer;
import org.apache.maven.model.Plugin;
import org.apache.maven.plugins.annotations.LifecyclePhase;
import org.apache.maven.plugins.annotations.Mojo;
import org.apache.maven.plugins.annotations.Parameter;
import org.codehaus.plexus.util.xml.Xpp3Dom;

import org.iprofagent.build.AgentArgument;
import org.iprofagent.build.BuildFailure;
import org.iprofagent.build.ProfileSteps;

/**
 * Puts the agent into the JVMs that this build starts, through properties that other plugins read: {@code argLine} (Surefire, Failsafe),
 * {@code spring-boot.run.jvmArguments} (spring-boot:run and start), {@code exec.args} where that is given (exec:exec), and
 * {@code iprof.agent} for arguments in a pom. What these properties had stays, behind the agent.
 */
@Mojo(name = "prepare", defaultPhase = LifecyclePhase.INITIALIZE, threadSafe = true)
public final class PrepareMojo extends IprofMojo {
    private static final String TESTS = "argLine";
    private static final String SPRING = "spring-boot.run.jvmArguments";
    private static final String EXEC = "exec.args";
    private static final String ANY = "iprof.agent";
    private static final String SUREFIRE = "org.apache.maven.plugins:maven-surefire-plugin";
    private static final String FAILSAFE = "org.apache.maven.plugins:maven-failsafe-plugin";

    /** More options of the agent, joined by commas. */
    @Parameter(property = "iprof.options")
    private String options;

    /** Whether tests run with the agent. */
    @Parameter(property = "iprof.tests", defaultValue = "true")
    private boolean tests;

    /** Patterns of classes that are not counted in tests. Default: test frameworks. */
    @Parameter
    private List<String> testExcludes = AgentArgument.TEST_CODE;

    @Override
    void run() throws BuildFailure {
        ProfileSteps.makeRoom(recorded(), session.getStartTime().toInstant());
        Path library = library();
        String load = AgentArgument.of(library, recorded().resolve("load.iprof"), List.of(), options);
        if (tests) put(TESTS, AgentArgument.of(library, recorded().resolve("tests.iprof"), testExcludes, options));
        put(SPRING, load);
        String program = value("exec.executable");
        if (value(EXEC) != null && program != null && Path.of(program).endsWith("java")) put(EXEC, load);
        project.getProperties().setProperty(ANY, load);
        getLog().info(ANY + " is " + load);
        for (String runner : tests ? List.of(SUREFIRE, FAILSAFE) : List.<String>of()) {
            warnUnless(runner, "argLine", "{" + TESTS + "}", "@{argLine}");
            warnOfNoFork(runner);
        }
        warnUnless("org.springframework.boot:spring-boot-maven-plugin", "jvmArguments", "{" + ANY + "}", "${iprof.agent}");
    }

    private String value(String property) {
        String given = session.getUserProperties().getProperty(property);
        return given != null ? given : project.getProperties().getProperty(property);
    }

    /** A value on Maven's command line has precedence over the project's, so it is changed there, too. */
    private void put(String property, String agent) {
        String value = AgentArgument.inFrontOf(value(property), agent);
        project.getProperties().setProperty(property, value);
        for (Properties given : List.of(session.getUserProperties(), session.getSystemProperties())) {
            if (given.containsKey(property)) given.setProperty(property, value);
        }
    }

    /** A value in the pom that does not refer to the property hides it. */
    private void warnUnless(String plugin, String element, String reference, String advice) {
        Plugin used = project.getPlugin(plugin);
        if (used == null) return;
        for (ConfigurationContainer each : containers(used)) {
            String value = child(each, element);
            if (value != null && !value.contains(reference)) {
                getLog().warn(used.getArtifactId() + " runs without the agent, because the pom gives it <" + element + ">: put " + advice + " into that");
            }
        }
    }

    private void warnOfNoFork(String plugin) {
        Plugin used = project.getPlugin(plugin);
        if (used == null) return;
        for (ConfigurationContainer each : containers(used)) {
            if ("0".equals(child(each, "forkCount"))) getLog().warn(used.getArtifactId() + " has forkCount 0: its tests run in Maven's own JVM, without the agent");
        }
    }

    private static List<ConfigurationContainer> containers(Plugin plugin) {
        List<ConfigurationContainer> all = new ArrayList<>(plugin.getExecutions());
        all.add(plugin);
        return all;
    }

    private static String child(ConfigurationContainer container, String element) {
        if (!(container.getConfiguration() instanceof Xpp3Dom configuration)) return null;
        Xpp3Dom child = configuration.getChild(element);
        return child == null ? null : child.getValue();
    }
}
