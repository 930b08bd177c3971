"""What the raw file costs a JVM whose counters, about 200,000, all change all the time.

It generates and compiles a program of many methods, each with branches and virtual calls. Each pair is a run without a raw file and one with
it, in turns, for the same work. The first snapshot writes all classes. Figures are medians with the smallest and the largest.
"""

import re

from runner import rounds, tables
from runner.figures import median, spread
from runner.running import Failed, run
from runner.workloads import compiled

METHOD = """
    static int m{n}(int x, Object o) {{
        int s = o.hashCode() & 1;
        if ((x & {mask}) == 0) s += 1;
        if (x % {odd} == 1) s += 2;
        for (int i = x & 3; i > 0; i--) if ((i & 1) == 0) s ^= i;
        return s;
    }}
"""
MAIN = """
public final class Main {{
    static final Object[] OBJECTS = {{{objects}}};
    public static void main(String[] args) {{
        new Thread(() -> work(0, Integer.parseInt(args[0]))).start();
        new Thread(() -> work(1, Integer.parseInt(args[0]))).start();
    }}
    static void work(int first, int rounds) {{
        int sum = 0;
        for (int r = first; r < rounds; r += 2) {{ Object o = OBJECTS[r & 3]; {calls} }}
        System.out.println(sum);
    }}
}}
"""
# Classes of another loader than the application's may be unloaded, so their counts take another way.
LAUNCH = """
public final class Launch {
    public static void main(String[] args) throws Exception {
        java.net.URL[] path = {java.nio.file.Path.of(args[0]).toUri().toURL()};
        Class<?> main = new java.net.URLClassLoader(path, ClassLoader.getPlatformClassLoader()).loadClass("Main");
        main.getMethod("main", String[].class).invoke(null, (Object) new String[] {args[1]});
    }
}
"""
METHODS_A_CLASS = 150
OBJECTS = {True: ", ".join(["new Main()"] * 4), False: '"a", 1, 2L, \'c\''}
QUICK = {"pairs": 1, "classes": 5, "rounds": 20000, "snapshot": "100ms"}


def add_options(options):
    options.jvm()
    options.built("agent")
    options.value("--snapshot", "5s", "the agent's option")
    options.value("--pairs", 5, "of runs")
    options.value("--classes", 200, "of the program")
    options.value("--rounds", 15000, "the work of a run")
    options.flag("--own-loader", "classes of a loader of the program's own, which may be unloaded; they are also the receivers of all calls")


def program(arguments):
    """Compiles it; returns its class path."""
    methods = "".join(METHOD.format(n=n, mask=(1 << (n % 4)) - 1, odd=3 + n % 5) for n in range(METHODS_A_CLASS))
    calls = "".join(f"s += m{n}(x + {n}, o); " for n in range(METHODS_A_CLASS))
    sources = {f"C{c}": f"final class C{c} {{{methods}    static int all(int x, Object o) {{ int s = 0; {calls} return s; }}\n}}\n"
               for c in range(arguments.classes)}
    sources["Launch"] = LAUNCH
    sources["Main"] = MAIN.format(objects=OBJECTS[arguments.own_loader], calls=" ".join(f"sum += C{c}.all(r, o);" for c in range(arguments.classes)))
    for name, text in sources.items():
        (arguments.folder / f"{name}.java").write_text(text, encoding="utf-8")
    return compiled(arguments.jvm, arguments.folder / "classes", [arguments.folder / f"{name}.java" for name in sources])


def main(arguments):
    if arguments.quick:
        vars(arguments).update(QUICK)
    classes, log = program(arguments), arguments.folder / "log"
    words = ["-cp", classes, *(("Launch", classes) if arguments.own_loader else ("Main",)), arguments.rounds]
    ratios, firsts, later, written, shares = [], [], [], [], []
    for _, ways in rounds.alternating(["0", arguments.snapshot], arguments.pairs):
        cpu_s = {}
        for snapshot in ways:
            log.unlink(missing_ok=True)
            agent = f"-agentpath:{arguments.agent}=out={arguments.folder}/x.iprof,log={log},verbose=3,image=n,snapshot={snapshot}"
            cpu_s[snapshot] = run([arguments.jvm.java, agent, *words]).cpu_s
            if snapshot != "0":
                said = log.read_text(encoding="utf-8")
        snapshots = [(int(cpu), int(size)) for cpu, size in re.findall(r"snapshot \d+: (\d+) us of CPU time, (\d+) bytes written", said)]
        if len(snapshots) < 2:
            raise Failed("the program ran for less than two snapshots: see --rounds")
        ratios.append(cpu_s[arguments.snapshot] / cpu_s["0"])
        firsts.append(snapshots[0][0] / 1000)
        later += [cpu / 1000 for cpu, _ in snapshots[1:]]
        written += [size / 1024 for _, size in snapshots[1:]]
        shares.append(sum(cpu for cpu, _ in snapshots) / 1e4 / cpu_s[arguments.snapshot])
    counters, sites = (re.search(rf"{what}: (\d+) in", said)[1] for what in ("counters", "sites"))
    print(f"{tables.machine(arguments.jvm)}\n{counters} counters, {sites} sites, snapshot={arguments.snapshot}, {arguments.pairs} pairs\n"
          f"CPU time of the first snapshot   {spread(firsts)} ms\n"
          f"CPU time of a later one          {spread(later)} ms\n"
          f"share of the run's CPU time      {median(shares):.2f} %\n"
          f"written by a later one           {spread(written, 0)} KiB\n"
          f"CPU time with and without        {spread(ratios, 3)}")
