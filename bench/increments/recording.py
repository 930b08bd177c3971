"""Records programs: for each one the exact counts of a run, and the class files that it loads.

Five real programs of bench/overhead are those that figures are published for. The real programs of scripts/soak are
for learning, so that no published figure is about a program that was learned from.
"""

import shutil
import subprocess
import sys

from iprofdev import maven, processes
from iprofdev.messages import Unavailable
from iprofdev.places import ROOT

sys.path[:0] = [str(ROOT / "bench" / "overhead"), str(ROOT / "java-tests")]

from preparation import compiler, prepare  # noqa: E402
from soak.real_programs import FILES, PROGRAMS  # noqa: E402
from workloads import WORKLOADS  # noqa: E402

# How often the work is repeated. Earlier profiles are of shorter runs.
REPETITIONS = {"javac": 2, "lucene": 8, "jackson": 500, "groovy": 100, "web": 20}
MEASURED = tuple(REPETITIONS)
# Not Groovy, which is measured, and not Felix, which only starts.
LEARNED = {program.name: program for program in PROGRAMS if program.name not in ("groovy", "felix")}
# A shorter run whose profile is used as weights=, as users make it.
EARLIER = {"earlier": "samples=n", "harvested": "source=methoddata,samples=n"}
EXACT = "selfcheck=y,image=n,receivers=n,monitors=n,samples=n,verbose=1"


def class_dumper(java, folder):
    """The jar of the Java agent DumpClasses."""
    classes, manifest, jar = folder / "dumper", folder / "MANIFEST.MF", folder / "dumper.jar"
    javac = compiler(java)
    subprocess.run([javac, "--release", "17", "-d", classes, ROOT / "bench" / "increments" / "java" / "DumpClasses.java"], check=True)
    manifest.write_text("Premain-Class: DumpClasses\nCan-Retransform-Classes: false\n", encoding="ascii")
    subprocess.run([str(javac).replace("javac", "jar"), "cfm", jar, manifest, "-C", classes, "."], check=True)
    return jar


class Recorder:
    def __init__(self, jvm, agent, target, scratch):
        self.jvm, self.agent, self.target, self.scratch = jvm, agent, target, scratch
        self.dumper = class_dumper(jvm.java, scratch)

    def record(self, names):
        workloads = [workload for workload in WORKLOADS if workload.name in REPETITIONS and workload.name in names]
        self.ready, self.skipped = prepare(workloads, self.jvm.java, self.scratch)
        for name in names:
            try:
                command = self._learned(LEARNED[name]) if name in LEARNED else self._measured(name, REPETITIONS[name])
            except Unavailable as why:
                print(f"{name}: not recorded ({why})", file=sys.stderr)
                continue
            if not self._record(name, command):
                continue
            if name in MEASURED:
                self.record_earlier(name)
            print(f"{name}: recorded", flush=True)

    def record_earlier(self, name):
        for kind, options in EARLIER.items():
            agent = f"-agentpath:{self.agent}=out={self.target / name / kind}.iprof,{options}"
            self._run(name, agent, self._measured(name, max(1, REPETITIONS[name] // 4)))

    def _run(self, name, option, command):
        done = processes.run([self.jvm.java, option, *command], cwd=self.scratch, env=processes.java_environment())
        if done.returncode:
            print(f"{name}: exit status {done.returncode}: {processes.end_of(done.stderr, 5)}", file=sys.stderr)
        return done.returncode == 0

    def _measured(self, name, repetitions):
        workload = next((workload for workload in self.ready if workload.name == name), None)
        if workload is None:
            raise Unavailable("; ".join(self.skipped))
        return [str(word) for word in workload.command(self.scratch, repetitions)]

    def _learned(self, program):
        work = self.scratch / "work"
        shutil.rmtree(work, ignore_errors=True)
        work.mkdir()
        words = [*program.jvm_arguments, "-cp", maven.class_path(program.pins), program.main, *program.arguments]
        return [word.format(files=FILES, work=work) for word in words]

    def _record(self, name, command):
        folder = self.target / name
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        counting = f"-agentpath:{self.agent}=out={folder / 'exact.iprof'},log={folder / 'log'},{EXACT}"
        dumping = f"-javaagent:{self.dumper}={folder / 'classes'}"
        if self._run(name, dumping, command) and self._run(name, counting, command):
            return True
        shutil.rmtree(folder)
        return False
