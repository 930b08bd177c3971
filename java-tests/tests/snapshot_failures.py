"""What goes wrong with the raw file: it is removed, moved, cut, limited or without room. The program does not notice, and the profile is complete."""

import errno
import json
import os
import resource

from harness.session_case import AS_NOBODY, needs_jvm_for_all_users, needs_root
from harness.snapshot_case import ROUND, SnapshotCase, in_small_folder


class Failures(SnapshotCase):
    def goes_on(self, process, rounds, warnings=1):
        """The program ends well with a complete profile."""
        self.rounds(process, 1)
        self.end(process)
        self.assertEqual(self.profile("app.iprof").calls_of(ROUND), rounds + 1)
        self.assertEqual(len(self.warnings(process)), warnings, self.warnings(process))

    def status(self, process):
        return json.loads(self.run_tool("status", process.pid, "--format", "json").stdout)["status"]

    def failed(self, process):
        return sum(loss["count"] for loss in self.status(process)["raw_losses"] if "could not be written" in loss["what"])

    def test_the_file_was_removed(self):
        process = self.start()
        self.rounds(process, 1)
        self.wait_for_rounds(process, 1)
        (self.folder / "app.iraw").unlink()
        self.rounds(process, 1)
        self.wait_for_rounds(process, 2)
        self.goes_on(process, 2)
        self.assertEqual(self.files(), ["app.iprof", "some.iprof"])

    def test_the_file_was_moved(self):
        process = self.start()
        self.rounds(process, 1)
        self.wait_for_rounds(process, 1)
        collected = self.folder / "collected"
        collected.mkdir()
        (self.folder / "app.iraw").rename(collected / "app.iraw")
        self.rounds(process, 1)
        self.wait_for_rounds(process, 2)
        self.assertEqual(self.status(process)["raw"], str(self.folder.resolve() / "app.iraw"))
        self.assertRegex(self.warnings(process)[0], r"the raw file '\S*/app\.iraw' was moved by another program; a new one is begun$")
        self.goes_on(process, 2)
        self.assertEqual(self.files(), ["app.iprof", "some.iprof"])
        self.assertEqual(self.recovered(collected / "app.iraw").calls_of(ROUND), 1)

    def test_the_file_was_cut(self):
        for size in (0, 100, 9000):
            with self.subTest(size=size):
                process = self.start()
                self.rounds(process, 1)
                self.wait_for_rounds(process, 1)
                os.truncate(self.folder / "app.iraw", size)
                self.rounds(process, 1)
                self.wait_for_rounds(process, 2)
                self.goes_on(process, 2)

    def test_a_limit_for_files(self):
        """As on a full disk: writes fail for a while."""
        process = self.start()
        self.rounds(process, 1)
        self.wait_for_rounds(process, 1)
        soft, hard = resource.prlimit(process.pid, resource.RLIMIT_FSIZE)
        resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (32 << 10, hard))  # the log of the test is smaller
        self.rounds(process, 1)
        self.wait_until(lambda: self.warnings(process), process)
        self.assertEqual(self.recovered_rounds(), 1)
        resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (soft, hard))
        self.wait_for_rounds(process, 2)
        self.assertGreater(self.failed(process), 0)
        self.assertRegex(self.warnings(process)[0], "a snapshot could not be written: .*File too large")
        self.goes_on(process, 2)

    def test_a_full_disk(self):
        prefix, place = in_small_folder(self)
        process = self.start(f"out=app.iprof,raw={place}/app.iraw", prefix=prefix)
        inside = f"/proc/{process.pid}/root{place}"
        self.rounds(process, 1)
        self.wait_until(lambda: os.path.exists(f"{inside}/app.iraw"), process)
        filler = f"{inside}/filler"
        with open(filler, "wb", buffering=0) as file:
            try:
                while True:
                    file.write(bytes(4096))
            except OSError as full:
                self.assertEqual(full.errno, errno.ENOSPC)
        self.rounds(process, 1)
        before = self.status(process)
        self.say(process, "more")  # new classes take room in the file
        self.wait_until(lambda: self.failed(process) > 0, process)
        os.unlink(filler)
        self.wait_until(lambda: self.status(process)["snapshots"] > before["snapshots"] + 2, process)
        self.assertRegex(self.warnings(process)[0], "a snapshot could not be written: .*No space left on device")
        self.goes_on(process, 2)

    def test_a_disk_with_room_for_the_profile_only(self):
        prefix, place = in_small_folder(self, "800k")
        process = self.start(f"out={place}/app.iprof.gz", prefix=prefix)
        inside = os.open(f"/proc/{process.pid}/root{place}", os.O_RDONLY | os.O_DIRECTORY)  # it outlives the process
        self.addCleanup(os.close, inside)
        self.rounds(process, 2)
        self.wait_until(lambda: self.warnings(process), process)
        self.assertRegex(self.warnings(process)[0], "No space left on device; the raw file had no complete snapshot yet, so it is removed;")
        lines = self.end(process)
        self.assertEqual([line for line in lines if "recover" in line or "no profile" in line], [])
        self.assertEqual(os.listdir(inside), ["app.iprof.gz"])
        with os.fdopen(os.open("app.iprof.gz", os.O_RDONLY, dir_fd=inside), "rb") as file:
            (self.folder / "app.iprof.gz").write_bytes(file.read())
        self.assertEqual(self.profile("app.iprof.gz").calls_of(ROUND), 2)

    def test_no_room_at_all(self):
        """Neither for a snapshot nor for the profile: the agent names no file that could not be recovered."""
        process = self.start("out=app.iprof", prefix=["bash", "-c", "ulimit -f 64 && exec \"$@\"", "bash"])
        self.rounds(process, 1)
        self.wait_until(lambda: self.warnings(process), process)
        self.assertRegex(self.warnings(process)[0], "File too large; the raw file had no complete snapshot yet, so it is removed;")
        lines = self.end(process)
        self.assertTrue(any("no profile was written" in line for line in lines), lines)
        self.assertEqual([line for line in lines if "iprof recover" in line], [])
        self.assertEqual(self.files(), [])

    @needs_root
    def test_another_users_link_has_the_name(self):
        os.symlink("victim", self.folder / "app.iraw")
        os.chown(self.folder / "app.iraw", 4002, -1, follow_symlinks=False)
        process = self.start()
        self.rounds(process, 1)
        self.wait_for_rounds(process, 1, "app.1.iraw")
        self.assertRegex(self.warnings(process)[0], r"the raw file is '\S*/app\.1\.iraw', because '\S*/app\.iraw' cannot be used: "
                                                    r"the link '\S*' belongs to another user \(uid 4002\) and is not followed$")
        self.goes_on(process, 1)
        self.assertFalse((self.folder / "victim").exists())

    @needs_root
    def test_a_folder_that_became_read_only(self):
        needs_jvm_for_all_users(self)
        place = self.folder / "raws"
        place.mkdir(mode=0o777)
        place.chmod(0o777)
        self.folder.chmod(0o777)
        process = self.start("out=app.iprof,raw=raws/app.iraw,snapshot=1s", prefix=AS_NOBODY)
        place.chmod(0o555)
        self.rounds(process, 1)
        self.wait_until(lambda: self.warnings(process), process)
        self.assertRegex(self.warnings(process)[0], "a snapshot could not be written: .*Permission denied")
        self.assertRegex(" ".join(self.run_tool("status", process.pid).stdout.split()),
                         r" raw file none: \S*/app\.iraw: cannot create: Permission denied; it is tried again lost ")
        place.chmod(0o777)
        self.wait_until((place / "app.iraw").exists, process)
        self.goes_on(process, 1)

    def test_the_file_is_as_large_as_it_may_be(self):
        process = self.start("out=app.iprof,raw-max=1m")
        self.rounds(process, 1)
        self.wait_until(lambda: self.warnings(process), process)
        self.assertLessEqual((self.folder / "app.iraw").stat().st_size, 1 << 20)
        self.assertRegex(self.warnings(process)[0], "has the size of raw-max=")
        status = self.status(process)
        self.assertTrue(any("no room" in loss["what"] for loss in status["raw_losses"]))
        self.assertEqual(status["losses"], [], "the profile lacks nothing of it")
        metrics = self.run_tool("status", process.pid, "--format", "openmetrics").stdout
        self.assertIn("\niprof_raw_file_losses_total{", metrics)
        self.assertNotIn("\niprof_losses_total{", metrics)
        self.recovered("app.iraw")
        self.goes_on(process, 1)

    def test_a_file_that_is_full_does_not_replace_a_dump(self):
        process = self.start("out=app.iprof,raw-max=1m")
        self.rounds(process, 1)
        self.wait_until(lambda: self.warnings(process), process)
        self.run_tool("dump", process.pid)
        dumped = self.folder.joinpath("app.iprof").read_bytes()
        end = self.profile("app.iprof").section["provenance"]["runs"][0]["end"]
        self.wait_until(lambda: self.recovered("app.iraw").section["provenance"]["runs"][0]["end"] > end, process)
        self.kill(process)
        said = self.run_tool("recover", "app.iraw", "-o", "app.iprof", expect=2).stderr
        self.assertEqual(said, "iprof: error: app.iprof is of the same run as app.iraw and has fewer losses, so it is not replaced: "
                               "give the profile another name, or remove app.iprof first\n")
        self.assertEqual(self.folder.joinpath("app.iprof").read_bytes(), dumped)

    def test_a_file_that_is_full_replaces_what_was_recovered_from_it_before(self):
        process = self.start("out=app.iprof,raw-max=1m")
        self.rounds(process, 1)
        self.wait_until(lambda: self.warnings(process), process)
        self.run_tool("recover", "app.iraw", "-o", "early.iprof")
        end = self.profile("early.iprof").section["provenance"]["runs"][0]["end"]
        self.say(process, "more")  # new classes, for which there is no room
        self.wait_until(lambda: self.recovered("app.iraw").section["provenance"]["runs"][0]["end"] > end, process)
        self.kill(process)
        self.run_tool("recover", "app.iraw", "-o", "early.iprof")
        self.assertGreater(self.profile("early.iprof").section["provenance"]["runs"][0]["end"], end)
