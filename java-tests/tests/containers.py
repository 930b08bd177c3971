"""The recipe of docs/containers.md, in containers that are made without a container runtime: a read-only root, a user
that is unknown, process id 1, and a volume for profiles."""

from harness.case import C1_ONLY, AgentCase, Settings
from harness.container import USER, container


class Containers(AgentCase):
    jvm_defaults = C1_ONLY

    def setUp(self):
        super().setUp()
        self.volume = self.folder / "profiles"
        self.volume.mkdir()

    def run_in_container(self, main, *args, volume, name="app", only="Fib", options=()):
        """Runs a program as the image's own command does, with the agent in JAVA_TOOL_OPTIONS."""
        agent = f"-agentpath:{Settings.agent}=only={only},onerror=ignore,out={self.volume}/%h-%p-%t.iprof"
        command = [*container(self, name, volume, reads=(self.jvm.java, Settings.agent)), *self.java_command(main, *args, agent=None, jvm_args=options)]
        return self.run_command(command, env={"JAVA_TOOL_OPTIONS": agent, "HOME": "/nonexistent"}, cwd="/")

    def profiles(self):
        return sorted(self.volume.glob("*.iprof"))

    def test_profiles_of_several_containers_are_collected_and_merged(self):
        for name in ("app-1", "app-2"):
            run = self.run_in_container("Fib", volume=self.volume, name=name)
            self.assertIn("0 1 1 2 3 5 8 13 21 34", run.stdout)
            self.assertRegex(self.profiles()[-1].name, rf"^{name}-1-\d+-\d+\.iprof$", "each was process 1")
        self.assertEqual([path.name for path in self.volume.iterdir() if not path.name.endswith(".iprof")], [])
        merged = self.folder / "all.iprof"
        self.run_tool("merge", "-o", merged, "--input-dir", self.volume, "--failure-mode", "warn")
        self.assertEqual(self.profile("all.iprof").calls_of("Fib.fibonacci"), 20)

    def test_the_user_and_nobody_else_can_read_them(self):
        self.run_in_container("Fib", volume=self.volume)
        (path,) = self.profiles()
        self.assertEqual((path.stat().st_uid, path.stat().st_mode & 0o777), (USER, 0o600))

    def test_programs_that_only_does_not_name_print_nothing_and_write_nothing(self):
        run = self.run_in_container("Fib", volume=self.volume, only="com.acme.*+app.jar")
        self.assertEqual(self.agent_lines(run.stderr), [])
        self.assertEqual(self.profiles(), [])

    def test_without_a_volume_the_program_goes_on_and_the_line_says_why(self):
        run = self.run_in_container("Fib", volume=None)
        self.assertIn("0 1 1 2 3 5 8 13 21 34", run.stdout)
        (line,) = self.agent_lines(run.stderr)
        self.assertIn("onerror=ignore", line)
        self.assertIn(str(self.volume), line)

    def test_sampling_needs_nothing_that_a_container_lacks(self):
        self.run_in_container("sampling.Lines", 300, volume=self.volume, only="sampling.*", options=["-Xmx64m"])
        (path,) = self.profiles()
        self.assertTrue([context for context in self.profile(path).samples() if context[0].startswith("sampling.Lines.")])
