package org.iprofagent.build;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import java.nio.file.Path;
import java.util.List;

import org.junit.Test;

public class AgentArgumentTest {
    private static final Path LIBRARY = Path.of("/p/libiprofagent.so");
    private static final Path FILE = Path.of("/p/tests.iprof");
    private static final String PLAIN = "-agentpath:/p/libiprofagent.so=out=/p/tests.iprof,merge=y";

    @Test
    public void options() throws BuildFailure {
        assertEquals(PLAIN, AgentArgument.of(LIBRARY, FILE, List.of(), null));
        assertEquals(PLAIN + ",exclude=a.*+b.*", AgentArgument.of(LIBRARY, FILE, List.of("a.*", "b.*"), " "));
        assertEquals(PLAIN + ",samples=n,jdk=n,exclude=a.*", AgentArgument.of(LIBRARY, FILE, List.of("a.*"), "samples=n, jdk=n"));
        assertEquals("an option is not given twice", PLAIN + ",exclude=c.*", AgentArgument.of(LIBRARY, FILE, List.of("a.*"), "exclude=c.*"));
    }

    @Test
    public void pathsThatTheAgentWouldMisread() throws BuildFailure {
        assertTrue(AgentArgument.of(LIBRARY, Path.of("/50%p/a.iprof"), List.of(), null).contains("out=/50%%p/a.iprof,"));
        assertThrows(BuildFailure.class, () -> AgentArgument.of(LIBRARY, Path.of("/a,b/a.iprof"), List.of(), null));
        assertThrows(BuildFailure.class, () -> AgentArgument.of(Path.of("/a=b/libiprofagent.so"), FILE, List.of(), null));
    }

    @Test
    public void whatThePluginSetsIsRefused() {
        BuildFailure why = assertThrows(BuildFailure.class, () -> AgentArgument.of(LIBRARY, FILE, List.of(), "samples=n,out=x"));
        assertEquals("the agent's option out= is set by this plugin; take it out of 'samples=n,out=x'", why.getMessage());
    }

    @Test
    public void whatIsThereStays() {
        assertEquals(PLAIN, AgentArgument.inFrontOf(null, PLAIN));
        assertEquals(PLAIN, AgentArgument.inFrontOf("", PLAIN));
        assertEquals(PLAIN + " -Xmx1g -Da=\"b c\"", AgentArgument.inFrontOf("-Xmx1g -Da=\"b c\"", PLAIN));
    }

    @Test
    public void aJvmHasOneAgent() {
        String later = "-agentpath:/q/libiprofagent.so=out=/q/tests.iprof";
        assertEquals(later + " -Xmx1g", AgentArgument.inFrontOf(PLAIN + " -Xmx1g", later));
        String spaced = "-agentpath:/my p/libiprofagent.so=out=/my p/a.iprof";
        assertEquals('"' + spaced + "\" -Xmx1g", AgentArgument.inFrontOf("-Xmx1g", spaced));
        assertEquals(later + " -Xmx1g", AgentArgument.inFrontOf(AgentArgument.inFrontOf("-Xmx1g", spaced), later));
        assertEquals("another agent stays", later + " -agentpath:/x/libother.so=a", AgentArgument.inFrontOf("-agentpath:/x/libother.so=a", later));
    }
}
