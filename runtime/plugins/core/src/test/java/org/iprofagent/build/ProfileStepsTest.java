package org.iprofagent.build;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/** The tool here is a script that writes its arguments to a file, and answers what a test tells it. */
public class ProfileStepsTest {
    @Rule public final TemporaryFolder folder = new TemporaryFolder();

    private final List<String> said = new ArrayList<>();
    private Path project;
    private Path recorded;
    private ProfileSteps steps;

    @Before
    public void projectWithTool() throws IOException {
        project = folder.getRoot().toPath().toRealPath();
        recorded = Files.createDirectories(project.resolve("target/iprof"));
        steps = new ProfileSteps(project.resolve("tool"), project, project.resolve(ProfileSteps.PROFILE), new BuildLog() {
            @Override
            public void info(String line) {
                said.add(line);
            }

            @Override
            public void warn(String line) {
                said.add("warning: " + line);
            }
        });
        answer("", 0);
    }

    private void answer(String script, int code) throws IOException {
        Path tool = project.resolve("tool");
        Files.writeString(tool, "#!/bin/sh\necho \"$@\" >> calls\n" + script + "\nexit " + code + "\n");
        Files.setPosixFilePermissions(tool, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    private String calls() throws IOException {
        return Files.readString(project.resolve("calls")).replace(project + "/", "");
    }

    private void haveProfile() throws IOException {
        Path profile = project.resolve(ProfileSteps.PROFILE);
        Files.createDirectories(profile.getParent());
        Files.createFile(profile);
    }

    @Test
    public void mergeWeighsRunsByTheirNames() throws Exception {
        Files.createFile(recorded.resolve("tests.iprof"));
        Files.createFile(recorded.resolve("load.iraw"));  // its JVM was killed
        Path other = Files.createDirectory(project.resolve("other"));
        Path file = Files.createFile(project.resolve("one.iprof"));
        steps.merge(recorded, List.of(other, file), Map.of("load", 10));
        assertEquals("merge -o src/pgo-profiles/main/app.iprof -w 10,target/iprof/load.iraw --input-dir target/iprof --input-dir other one.iprof\n", calls());
        assertTrue(Files.isDirectory(project.resolve("src/pgo-profiles/main")));
        assertEquals(List.of("merged into src/pgo-profiles/main/app.iprof"), said);
    }

    @Test
    public void mergeNeedsRuns() throws Exception {
        BuildFailure why = assertThrows(BuildFailure.class, () -> steps.merge(recorded, List.of(), Map.of()));
        assertTrue(why.getMessage(), why.getMessage().startsWith("there is no profile in " + recorded));
        Files.createFile(recorded.resolve("tests.iprof"));
        why = assertThrows(BuildFailure.class, () -> steps.merge(recorded, List.of(), Map.of("load", 10)));
        assertTrue(why.getMessage(), why.getMessage().startsWith("nothing was recorded as 'load'"));
        assertFalse(Files.exists(project.resolve("calls")));
    }

    @Test
    public void whatTheToolSaysIsTheFailure() throws Exception {
        haveProfile();
        answer("[ $1 = advise ] && exit 0; echo 'app.iprof: 12.4 % applicable'; echo 'iprof: warning: app.iprof: too little: a, b, c' >&2", 1);
        BuildFailure why = assertThrows(BuildFailure.class, () -> steps.check(List.of(recorded), null, "99%"));
        assertEquals("app.iprof: too little: a, b, c", why.getMessage());
        assertEquals("advise --classpath target/iprof src/pgo-profiles/main/app.iprof\n"
                + "check -q --classpath target/iprof --min-applicable 99% src/pgo-profiles/main/app.iprof\n", calls());
    }

    @Test
    public void adviceIsNoFailure() throws Exception {
        haveProfile();
        answer("[ $1 = check ] && exit 0; echo \"$2: not usable\"; echo '  fails: it is empty [empty]'; echo '  runs: 1'; echo 'build: x'", 6);
        steps.check(List.of(project.resolve("missing")), null, "99%");
        assertEquals(List.of("warning: src/pgo-profiles/main/app.iprof: not usable", "warning:   fails: it is empty [empty]", "  runs: 1"), said);
        assertFalse("what is not there is not compared with", calls().contains("--classpath"));
    }

    @Test
    public void checkAndReportNeedTheProfile() {
        assertThrows(BuildFailure.class, () -> steps.check(List.of(), null, "99%"));
        assertThrows(BuildFailure.class, () -> steps.report(project.resolve("app.html"), List.of(), List.of()));
    }

    @Test
    public void reportTakesClassesAndSources() throws Exception {
        haveProfile();
        steps.report(project.resolve("target/page/app.html"), List.of(recorded), List.of(project.resolve("src"), project.resolve("missing")));
        assertEquals("report src/pgo-profiles/main/app.iprof -o target/page/app.html --classes target/iprof --sources src\n", calls());
    }

    @Test
    public void whatEarlierBuildsRecordedGoes() throws Exception {
        Path old = Files.createFile(recorded.resolve("tests.iprof"));
        Path page = Files.createFile(recorded.resolve("app.html"));
        Path young = Files.createFile(recorded.resolve("load.iprof"));
        Instant start = Instant.now();
        for (Path each : List.of(old, page)) Files.setLastModifiedTime(each, FileTime.from(start.minusSeconds(60)));
        Files.setLastModifiedTime(young, FileTime.from(start.plusSeconds(1)));
        ProfileSteps.makeRoom(recorded, start);
        assertFalse(Files.exists(old));
        assertTrue("it is no profile", Files.exists(page));
        assertTrue("it is of this build", Files.exists(young));
    }

    @Test
    public void aRunThatHasNotEndedIsWaitedFor() throws Exception {
        Path lock = recorded.resolve(".load.iprof.lock");
        Files.createFile(recorded.resolve(".killed.iprof.lock"));
        Recordings recordings = new Recordings(recorded);
        try (FileChannel file = FileChannel.open(lock, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
            FileLock held = file.lock();
            assertEquals(List.of("load.iprof"), recordings.awaitEnd(Duration.ofMillis(300)));
            Thread ending = new Thread(() -> {
                try {
                    Thread.sleep(300);
                    held.release();
                } catch (IOException | InterruptedException failed) {
                    throw new AssertionError(failed);
                }
            });
            ending.start();
            assertEquals(List.of(), recordings.awaitEnd(Duration.ofMinutes(5)));
            ending.join();
        }
    }

    @Test
    public void aToolThatCannotRun() throws Exception {
        haveProfile();
        Files.delete(project.resolve("tool"));
        BuildFailure why = assertThrows(BuildFailure.class, () -> steps.check(List.of(), null, "99%"));
        assertTrue(why.getMessage(), why.getMessage().startsWith("the tool cannot be run: "));
    }
}
