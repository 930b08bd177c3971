"""The class files of a JVM's modules, for the oracles."""

import pathlib
import tempfile

from iprofdev import processes
from iprofdev.places import CACHE, locked_cache

from harness.case import Settings
from oracle import classfile, counts


def module(jvm, name):
    """The folder with the class files of a module, which are copied into the cache once."""
    folder = CACHE / "modules" / f"{jvm.id}-{jvm.full_version}" / name
    if folder.exists():  # another test may hold the lock for minutes, because it fetches something
        return folder
    with locked_cache():
        if not folder.exists():
            folder.parent.mkdir(parents=True, exist_ok=True)
            staging = pathlib.Path(tempfile.mkdtemp(dir=folder.parent))
            done = processes.run([jvm.java, "-cp", Settings.classes, "CopyModule", name, staging], env=processes.java_environment())
            if done.returncode:
                raise FileNotFoundError(f"cannot copy {name} of {jvm.id}: {processes.end_of(done.stderr)}")
            staging.rename(folder)
    return folder


class JdkClasses:
    """Methods by key, loaded class by class on demand."""

    def __init__(self, jvm, *modules):
        self._modules = [module(jvm, name) for name in modules]
        self._classes = {}

    def methods(self, owner):
        """The methods of a class by key; empty if the image does not contain it."""
        if owner not in self._classes:
            found = {}
            for module in self._modules:
                path = module / (owner.replace(".", "/") + ".class")
                if path.exists():
                    for m in classfile.read(path.read_bytes()).methods:
                        found[counts.key(m.owner, m.name, m.descriptor)] = m
                    break
            self._classes[owner] = found
        return self._classes[owner]

    def find(self, key):
        return self.methods(key[0]).get(key)

    def targets(self, key, bci):
        """The targets of a branch's edges; empty if there is no branch."""
        method = self.find(key)
        branch = method.branch_at(bci) if method is not None else None
        return branch.targets if branch is not None else ()

    def has_one_target(self, key, bci):
        """Whether only one method can be called: because it is private or final, because its class is final, or because
        it is a method-handle call."""
        method = self.find(key)
        call = next((i for i in method.invokes if i[0] == bci), None) if method else None
        if call is None:
            return False
        _, _, owner, name, descriptor = call
        if owner in ("java.lang.invoke.MethodHandle", "java.lang.invoke.VarHandle"):
            return True
        for holder in (owner, "java.lang.Object"):
            callee = self.find(counts.key(holder, name, descriptor))
            if callee is not None:
                return callee.has_one_target
        methods = self.methods(owner).values()  # the method is inherited; all methods of a final class have one target
        return bool(methods) and all(m.has_one_target for m in methods)

    def nothing_to_profile(self, key):
        """Whether a method has no branch, switch or call through a receiver: HotSpot compiles such methods
        without counters."""
        method = self.find(key)
        return method is not None and not method.branches and not any(
            opcode in (0xb6, 0xb9) for _, opcode, *_ in method.invokes)
