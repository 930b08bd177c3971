"""What can be at the name of an input or output instead of a file. The tool never waits for what another user made there."""
import os
import socket
import subprocess
import unittest

from cli_case import IPROF, CliTest, profile, section

OTHER = 4002
PATIENCE_S = 60


class OddFiles(CliTest):
    def setUp(self):
        super().setUp()
        self.good, self.other_good = (
            self.write(f"{name}.iprof", profile(scale, iprofagent=section(provenance={"runs": [{"run": name}]})))
            for name, scale in (("good", 1), ("other", 3)))

    def odd(self):
        """Of each kind, its name and what the tool must say of it where it is an input."""
        os.mkdir(self.path("folder"))
        os.symlink("nothing", self.path("dangling"))
        os.symlink("loop", self.path("loop"))
        made = socket.socket(socket.AF_UNIX)
        made.bind(self.path("socket"))
        made.close()
        kinds = {"folder": "is a (folder|directory)", "dangling": "No such file or directory", "loop": "Too many levels of symbolic links",
                 "socket": "it is a socket"}
        if os.geteuid() == 0:
            os.mkfifo(self.path("pipe"))
            os.chmod(self.path("pipe"), 0o666)
            os.chown(self.path("pipe"), OTHER, OTHER)
            kinds["pipe"] = "it is a named pipe"
        return kinds

    def ends(self, *arguments):
        """The only line that the tool prints when it refuses this."""
        done = subprocess.run([IPROF, *arguments], capture_output=True, text=True, cwd=self.folder, timeout=PATIENCE_S, check=False)
        self.assertIn(done.returncode, (2, 3, 4), f"{arguments}: {done}")
        self.assertEqual(len(done.stderr.splitlines()), 1, f"{arguments}: {done}")
        self.assertTrue(done.stderr.startswith("iprof: error: "), done)
        return done.stderr

    def test_inputs(self):
        for name, said in self.odd().items():
            for command in (["show", name], ["top", name], ["check", name], ["merge", name, self.good, "-o", "x"], ["diff", name, self.good],
                            ["diff", self.good, name], ["overlap", self.good, name], ["convert", name, "--to", "csv", "-o", "x"],
                            ["recover", name, "-o", "x"], ["report", name, "-o", "x.html"], ["merge", "--input-list", name, "-o", "x"]):
                with self.subTest(command=command):
                    self.assertRegex(self.ends(*command), said)
            with self.subTest(harvest=name):
                self.ends("harvest", name, "-o", "x")
            if name != "folder":
                with self.subTest(classpath=name):
                    self.assertIn(name, self.ends("check", self.good, "--classpath", name))
        self.assertFalse(os.path.exists(self.path("x")))

    def test_a_folder_of_inputs(self):
        self.odd()
        os.mkdir(self.path("inputs"))
        for name in ("folder", "dangling", "loop", "socket", "pipe"):
            if os.path.lexists(self.path(name)):
                os.rename(self.path(name), self.path(f"inputs/{name}.iprof"))
        self.assertIn("nothing to merge", self.ends("merge", "--input-dir", "inputs", "-o", "x"))
        os.rename(self.good, self.path("inputs/good.iprof"))
        self.run_tool("merge", "--input-dir", "inputs", "-o", "x")

    def test_outputs(self):
        for name in self.odd():
            if name == "dangling":  # the file that the link names is made
                continue
            for command in (["merge", self.good, self.other_good], ["convert", self.good, "--to", "csv"], ["report", self.good]):
                with self.subTest(command=command, name=name):
                    self.ends(*command, "-o", name)

    def test_beside_an_output(self):
        if os.geteuid() != 0:
            self.skipTest("only root can make another user's pipe")
        for name in (".x.lock", ".x.1.1.tmp"):
            os.mkfifo(self.path(name))
            os.chown(self.path(name), OTHER, OTHER)
        self.run_tool("merge", self.good, self.other_good, "-o", "x")

    def test_ones_own_pipes(self):
        """They are waited for, in both directions, and so are those of a shell."""
        os.mkfifo(self.path("in"))
        os.mkfifo(self.path("out"))
        script = 'cat good.iprof > in & cat out > copy & "$0" merge in -o out && wait && "$0" check copy'
        subprocess.run(["sh", "-c", script, IPROF], cwd=self.folder, timeout=PATIENCE_S, check=True, stdout=subprocess.DEVNULL)
        script = '"$0" merge <(cat good.iprof) /dev/stdin -o >(cat > "$1") < other.iprof; wait $!; "$0" check - < "$1"'
        subprocess.run(["bash", "-c", script, IPROF, self.path("summed")], cwd=self.folder, timeout=PATIENCE_S, check=True,
                       stdout=subprocess.DEVNULL)
        self.assertIn([4], [entry["records"] for entry in self.load("summed")["callCountProfiles"]])


if __name__ == "__main__":
    unittest.main()
