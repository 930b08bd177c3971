"""PositionsCase: runs programs in each mode, and compares the positions of their profiles with the class files, which Python reads on its own."""

import json
import re
import zipfile

from harness.case import AgentCase, Settings
from oracle.callers import Callers
from oracle.jdk_classes import module
from oracle.placed import Placed

MODES = {"exact": "", "budget": "mode=budget,rearm=500ms", "frozen": "count-until=1000,rearm=0", "methoddata": "mode=methoddata",
         "samples": "calls=n,branches=n,receivers=n,monitors=n", "application": "jdk=n"}
MOST_UNTRUE = 0.01  # of pairs of caller and callee; 0.3 % at most were seen


class PositionsCase(AgentCase):
    agent_defaults = {"image": "n", "interval": "1ms"}

    def class_files(self, jars=()):
        """A function that returns the bytes of a class of the program, the jars and java.base."""
        folders = [Settings.classes, module(self.jvm, "java.base")]
        for jar in jars:
            folders.append(self.folder / jar.stem)
            if not folders[-1].exists():
                self.unpack(jar, folders[-1])

        def class_bytes(owner):
            if "/" in owner or "$Proxy" in owner:
                return None  # lambdas and proxies have no class files
            if owner.startswith(("jdk.internal.jimage.", "jdk.internal.jrtfs.")):
                return None  # ecj loads these from lib/jrt-fs.jar, where they are compiled for Java 8
            paths = (folder / f"{owner.replace('.', '/')}.class" for folder in folders)
            return next((path.read_bytes() for path in paths if path.exists()), None)
        return class_bytes

    def unpack(self, jar, folder):
        """As the JVM sees it, if the jar has classes for several versions of Java."""
        with zipfile.ZipFile(jar) as opened:
            chosen = {}  # path: (version, name in the jar)
            for name in opened.namelist():
                versioned = re.fullmatch(r"META-INF/versions/(\d+)/(.*)", name)
                version, path = (int(versioned[1]), versioned[2]) if versioned else (0, name)
                if path.endswith(".class") and version <= self.jvm.major:
                    chosen[path] = max(chosen.get(path, (0, path)), (version, name))
            for path, (_, name) in chosen.items():
                (folder / path).parent.mkdir(parents=True, exist_ok=True)
                (folder / path).write_bytes(opened.read(name))

    def assert_placed(self, name, class_bytes, least=1):
        """That all positions of a profile are right. Returns how many frames were compared."""
        profile = self.profile(name)
        verdicts, wrong = Placed(class_bytes).check(profile.samples())
        self.assertEqual(dict(wrong.most_common(5)), {}, f"{name}: {dict(verdicts)}")
        judged = verdicts["right"] + verdicts["native"]
        self.assertGreaterEqual(judged, least, verdicts)
        # A frame that was left out, or that has another method's position, makes a caller call something else. HotSpot itself gives a few
        # inlined frames a neighbour's position, and the classes of lambdas from before an attach have no names, so they are left out.
        _, pairs, untrue = Callers(class_bytes).check(profile.samples())
        self.assertLessEqual(sum(untrue.values()), MOST_UNTRUE * sum(pairs.values()), f"{pairs} {untrue}")
        statistics = profile.section.get("sampling", {})
        shown = {name: statistics.get(name) for name in ("writtenWeight", "endsAtNoCall", "endsAtUnknown", "unknownLeaves",
                                                         "unnamedFrames")}
        print(f"{self.jvm.id} {name}: {judged} frames right of {sum(verdicts.values())}, {len(profile.samples())} contexts, "
              f"{json.dumps(shown)}")
        return judged

    def run_mode(self, program, mode, *args, jvm_args=(), program_name=None):
        name = f"{program_name or program}.{mode}.iprof"
        self.run_java(program, *args, agent=",".join(filter(None, [f"out={self.folder}/{name}", MODES[mode]])), jvm_args=jvm_args)
        return name
