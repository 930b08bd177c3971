"""A JVM in namespaces of its own, as in a container: it takes itself for process 1, and its /tmp is not ours. Needs root."""

import pathlib
import shutil
import subprocess

from harness.case import Settings

SCRIPT = "mount -t tmpfs none /tmp && chmod 1777 /tmp && {more}exec \"$@\""
READ_ONLY = "mount -o remount,ro /tmp && "


def unshare(more):
    return ["unshare", "--fork", "--pid", "--mount-proc", "--net", "--kill-child", "bash", "-c", SCRIPT.format(more=more), "bash"]


def own_namespaces(case, more=""):
    """A prefix for start_java, and the working directory of the JVM, which both sides see. Skips the test where the machine makes
    no namespaces, or where the JVM would not see this build, because it is in /tmp. more: what else the shell does first."""
    if pathlib.Path("/tmp") in Settings.classes.resolve().parents:
        case.skipTest("the build is in /tmp, which the JVM has of its own")
    if subprocess.run([*unshare(more), "true"], capture_output=True, check=False).returncode != 0:
        case.skipTest("this machine makes no namespaces")
    place = pathlib.Path(subprocess.run(["mktemp", "-d", "-p", "/var/tmp"], capture_output=True, text=True, check=True).stdout.strip())
    case.addCleanup(shutil.rmtree, place, ignore_errors=True)
    place.chmod(0o777)
    return ["env", "-C", place, *unshare(more)], place


def jvm_in(process):
    """The pid of the JVM, which is the child of the process that start_java started."""
    (pid,) = pathlib.Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
    return int(pid)
