"""A JVM as in a hardened container, made without a container runtime: the root file system is read-only, /tmp and /dev
included; the user has no name, no home and no rights; the JVM takes itself for process 1. Needs root."""

import os
import subprocess

USER = 54321

# The volume is a mount of its own, so that it stays writable.
SCRIPT = """set -e
mount --make-rprivate /
[ -z "$1" ] || mount --bind "$1" "$1"
mount -o remount,bind,ro /
hostname "$2"
shift 2
exec setpriv --reuid {user} --regid {user} --clear-groups --no-new-privs --bounding-set=-all -- "$@"
""".format(user=USER)


def container(case, name, volume, reads):
    """The words that start a command in a new container. name: its host name. volume: a folder that it can write to, or None. reads: files
    that the user must be able to read. Skips the test where the machine makes no such container, and where a folder above one of these files
    is closed to others."""
    if volume is not None:
        case.folder.chmod(0o755)
        volume.chmod(0o777)
    prefix = ["unshare", "--mount", "--uts", "--pid", "--fork", "--mount-proc", "--kill-child", "--", "bash", "-c", SCRIPT, "bash", volume or "", name]
    probe = subprocess.run([*prefix, "touch", f"/tmp/iprof-container-probe-{os.getpid()}"], capture_output=True, text=True, check=False)
    if "Read-only file system" not in probe.stderr:
        case.skipTest(f"this machine makes no container: {probe.stderr.strip() or 'its root stays writable'}")
    for path in reads:
        if subprocess.run([*prefix, "test", "-r", path], check=False).returncode:
            case.skipTest(f"other users cannot read {path}")
    return prefix
