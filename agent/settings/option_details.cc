#include "agent/settings/option_details.h"

#include <algorithm>
#include <iterator>

namespace iprof::vm {
namespace {

// In the order of the table.
constexpr OptionDetails kDetails[] = {
    {"out",
     "Where the profile goes. While another live JVM has this file, a number is added: "
     "`app.1.iprof`, and the agent says so when the recording begins. `%p` is the process id, "
     "`%h` the host, `%t` the start time (`20260131-142530`, local), `%%` a percent sign; `~` "
     "at the beginning is the home folder (`HOME`) of the JVM. Relative to the working "
     "directory at start; missing folders are created at start, for the JVM's user only. So is "
     "the profile, unless it replaces a file of the same user, whose permissions it gets. "
     "Symbolic links of other users (except root) are not followed."},
    {"force",
     "Overwrite an existing file. With `n` a number is added instead: `app.1.iprof`. With `y` "
     "and `n`, a run writes no profile, and says so, if it ended before the program's main "
     "class began (a mistyped class, `java -version`), recorded nothing, or counted nothing "
     "because `include=` matches no class; with `always` it writes one."},
    {"merge",
     "Add to the profile in `out` instead of overwriting it. Any number of JVMs may share one "
     "file, also at once: each adds its counts when its program ends, one after the other "
     "([production.md](production.md#many-jvms-one-profile)). Where the code of a method differs, "
     "as after an update, that of the newest run is kept, and a warning says so (not with "
     "`provenance=n`, which leaves out the hashes of code). Contradicts `force=n`."},
    {"onwritefailure",
     "When the last profile cannot be written. `report`: one line on stderr. `exit`: also, the "
     "process exits with status 74, instead of the program's own status. Everything else "
     "happens as at any orderly end. The same if native code calls `exit`, so that none is "
     "written. A process of whose end the agent is not told keeps its own status: after a kill, "
     "a crash, `_exit` or, with most JDKs, `-XX:+ExitOnOutOfMemoryError`."},
    {"doe", "Dump on exit: write the profile when the program ends."},
    {"dump-on-request",
     "Write the profile so far, and go on, whenever the JVM gets a data dump request: from "
     "`jcmd PID JVMTI.data_dump`, or from `kill -QUIT PID`, which also prints a thread dump "
     "(not with `-Xrs`). A later profile, including the one at the end, overwrites it: counts "
     "only grow (names and lines of classes that were unloaded in between may be missing). "
     "With `force=n` each has its own file."},
    {"format", "Version of the iprof format to write."},
    {"gzip", "Compress the profile. A name that ends in `.gz` implies `y`."},
    {"only",
     "Profile only programs whose main class or jar matches one of the patterns (`*` any "
     "characters, `?` one); in other programs the agent stays out and writes no file. It then "
     "prints nothing, and with `verbose=1` one line. Patterns are joined by `+` or `;` (a "
     "shell needs quotes around `;`). A jar matches by its path as given or by its file name; "
     "a class of a module matches by `module/class` or by its class name."},
    {"onerror",
     "When the agent cannot start: stop the JVM, or go on without the agent after one line "
     "that says why."},
    {"verbose",
     "0: errors, warnings and one line for the result. 1: with each profile also what was "
     "counted, what was left out and why, and how exact the counts are. 2: also each step, and "
     "how the agent worked ([troubleshooting.md](troubleshooting.md#lines-of-verbose2)). 3: "
     "everything."},
    {"log",
     "Where messages go instead of stderr, appended, each with its time (UTC). Patterns as in "
     "`out`. Errors go to stderr as well."},
    {"provenance",
     "Write into the profile how and where it was recorded (agent, options, JVM, program, "
     "time, tables, exactness, losses), the identity of the run, by which `iprof merge` counts"
     " each run once and which says nothing about the machine, because it is random, and a "
     "hash of each recorded method's code, which differs between versions of a method. Of "
     "the program it names the main class "
     "or the jar, without folder and arguments. See [format.md](format.md#extra-keys)."},
    {"lines",
     "Write into the profile the source line of each position, and for each virtual call the "
     "name of the method that it calls, as far as classes have line numbers. `iprof show`, "
     "`top --by line` and `report` use them; an image build does not. They take 2 to 4 % of "
     "the file."},
    {"raw",
     "The raw file, from which `iprof recover` makes a profile if the JVM is killed or crashes "
     "([recover.md](recover.md)). Patterns as in `out`. Default: as `out`, with the suffix "
     "`.iraw` instead of `.iprof`. If another JVM left a file of this name, that file stays as it "
     "is, and the new one gets a number: `app.1.iraw`."},
    {"snapshot",
     "How often the raw file is brought up to date; 100ms to 1h. The file is made at the first "
     "snapshot, so that a program that ends sooner makes none. With `count-until`, `overhead` and "
     "`source`, each snapshot reads the whole program. They take a fiftieth of one processor "
     "and of the program's CPU time at most, so they may be rarer. With `0` there is no raw "
     "file."},
    {"keep-raw",
     "Keep the raw file after the profile was written at the program's end. With `n` it is "
     "removed then."},
    {"raw-max",
     "The largest size of the raw file, 1m to 1g. When it is reached, one warning says so, and "
     "further classes, receivers and stacks are left out of the file; the recovered profile "
     "says how many. The profile at the end is complete."},
    {"start",
     "Record from the start. With `n` the agent is loaded and records nothing until a command "
     "comes (`iprof start`, see [sessions.md](sessions.md)); class-data sharing stays on."},
    {"delay",
     "The recording begins this long after the JVM is initialised, or after the attach: for "
     "those who cannot run a command."},
    {"duration",
     "This long after the recording began it is stopped, and the profile is written to `out`. "
     "`0`: it lasts until a command or the end."},
    {"control",
     "Listen for the commands of the `iprof` tool on a Unix socket of this name; patterns as "
     "in `out`; missing folders are made, for the JVM's user only. Only this user and root may "
     "connect. An existing path is refused; the socket is removed at the end. See "
     "[sessions.md](sessions.md)."},
    {"pause",
     "When a start or stop swaps the code of loaded classes, or methods lose or get back their "
     "probes (`count-until`, `overhead`), as many classes are swapped at a time as fit into a "
     "pause of this length, but at least one; 1ms to 60s."},
    {"reply", "For attaching tools: the socket at which they wait for the result of the attach."},
    {"mode",
     "One word for several options. `exact`: the defaults. `budget`: `overhead=5%`. "
     "`methoddata`: `source=methoddata`. Options that you give win. `help` shows what each "
     "word stands for. See [choosing.md](choosing.md)."},
    {"source",
     "Where calls, branches, receivers and type checks come from. `counters`: the agent counts "
     "them exactly. `methoddata`: they are HotSpot's own counters, read when a profile or a "
     "snapshot is written; no class is changed, class-data sharing stays on, and calls are "
     "estimated ([harvest.md](harvest.md)). `both`: the classes of `include` are counted exactly, "
     "and the rest is HotSpot's."},
    {"estimate",
     "HotSpot stops counting a method when its best compiler has compiled it. With `y`, calls and "
     "the weights of branches are estimated from the flow of the whole program; with `n` they are "
     "HotSpot's numbers as they are. Shares within a branch are the same. Needs "
     "`source=methoddata`; with `source=both` calls are always estimated. See "
     "[harvest.md](harvest.md#what-the-numbers-mean)."},
    {"calls",
     "Count how often each method is called. Native and abstract methods have no bytecode, so "
     "they have no record; the time of native ones is in the samples. For methods that "
     "compilers replace (intrinsics), the calls at their call sites count where these are "
     "more."},
    {"branches", "Count which way every branch and switch goes."},
    {"receivers", "Count the receivers' classes at `invokevirtual` and `invokeinterface`."},
    {"receivers-max-lost",
     "A call site is left out if the class is unknown for more than this percentage of its "
     "objects. Otherwise an image build would take the listed classes for all. `verbose=1` "
     "names the sites. With `source=methoddata` the default is 20, because HotSpot lists two "
     "classes a site; see [harvest.md](harvest.md#sites-with-a-rest)."},
    {"monitors",
     "Count the classes of the objects that `synchronized` methods and blocks lock. Native "
     "synchronized methods have no bytecode, so they are not counted."},
    {"instanceofs",
     "Count the classes of the objects at `instanceof` and casts; needs `format=1.1.0`."},
    {"contexts",
     "With `calls`, write the calls of each method by caller: the executions of call sites, "
     "divided by the classes of their receivers. The heaviest entries are written, until they are "
     "99.9 % of what is known, and the rest has no caller; their sum is the method's count. It "
     "costs nothing while the program runs, and makes the file larger. See "
     "[format.md](format.md#calls-by-caller). With `all`, write also the classes of receivers and "
     "the ways of branches by caller, where callers matter: at calls and branches that do several "
     "things, stacks are taken at random executions, for 0.5 % of the CPU time, and 150 ms in a "
     "short run. Which these are, the earlier profile of `weights=` says, or else the first 5 s "
     "of CPU time. See [format.md](format.md#receivers-and-branches-by-caller)."},
    {"jdk",
     "Count in the JDK's own classes too, from the first bytecode on (this switches class-data "
     "sharing off). With `n` only the application's classes are counted, including those of "
     "its own class loaders, and class-data sharing stays on."},
    {"target",
     "The JDK version of the GraalVM that will build the image. It decides how lambdas are "
     "named ([names.md](names.md)) and which methods the image replaces "
     "([image.md](image.md)). Default: the version of the running JVM; 22 counts as 21 for "
     "names, and as 23 for replaced methods."},
    {"image",
     "Write only what an image build can use: no machinery that only a JVM runs, no positions "
     "in methods that the image replaces; see [image.md](image.md). `n` writes everything, to "
     "analyse HotSpot itself; `iprof convert --image` filters such a profile later."},
    {"include",
     "Count only in classes whose name (with dots) matches one of the patterns, joined by `+` "
     "or `;` (a shell needs quotes around `;`): `include=com.acme.*+org.acme.*`."},
    {"exclude", "Do not count in classes that match. `exclude` has precedence over `include`."},
    {"placement",
     "`tree`: few counters, from which the other counts are derived. Exact unless exceptions "
     "leave a method, then within a bound that `verbose=1` prints; a branch that they could "
     "move by more than 1 % is left out, and its method named ([truth.md](truth.md)). "
     "`direct`: a counter for every count; not affected by exceptions, slower."},
    {"weights",
     "An earlier profile of the program, exact or harvested, plain or gzipped. The agent then "
     "counts mostly where that run seldom was, so the program is faster "
     "([overhead.md](overhead.md)). The counts are as exact as without it, even if the profile "
     "is of another version of the program: what does not fit a class is ignored, and "
     "`verbose=1` prints how many branches fit. It is read at the start, which takes about 8 "
     "ms per MB; at most 64 MiB. Without it, the agent knows only where the JDK's own methods "
     "usually are busy."},
    {"memory",
     "The most memory that the agent may hold: counters in the heap, and data about classes, "
     "types and methods outside it; see [memory.md](memory.md). When it is used up, classes "
     "that are loaded later are not counted, or are counted without their receivers; the "
     "statistics say how many. The smallest useful limit is about 5m. Default: 256m, but at "
     "most a tenth of the container's memory limit and a quarter of the largest heap. The part "
     "in the heap never takes more than an eighth of the largest heap (`-Xmx`). In a heap "
     "below 16 MB nothing can be counted: the agent says so and stays out."},
    {"stripes",
     "Copies of every counter, spread over the threads; a power of two. Threads that increment "
     "one counter at the same moment can lose increments. With more stripes that is rarer, and "
     "every probe costs more."},
    {"selfcheck",
     "Count everything directly and compare it, in the same run, with what `placement=tree` "
     "would have derived. `verbose=1` prints the differences; without it they are not printed."},
    {"count-until",
     "A method of which one counter has reached this number loses its probes, hottest methods "
     "first; from then on its counts are estimated from the callers that still count "
     "([overhead.md](overhead.md#count-until-enough-is-known)). Methods that count slowly, or do "
     "not do the same each time, keep their probes. `0`: all methods count to the end. Needs "
     "`calls=y`."},
    {"overhead",
     "While counting costs more than this share of the program's own time, the agent takes the "
     "probes of methods out, from 10,000 increments on (or from `count-until`), if that pays in a "
     "run of minutes. What counting costs is estimated from the number of increments. Methods that "
     "have to keep their probes can keep the cost above the limit; the agent then says so at "
     "the end, and why ([overhead.md](overhead.md#count-until-enough-is-known)). A whole "
     "percentage; `0`: no limit."},
    {"rearm",
     "With `count-until` or `overhead`: after this long, methods without probes count again "
     "for some seconds, so that a new phase of the program is noticed; the next time after "
     "twice as long, and so on. They wait longer where compiling their classes again would take "
     "more than a twentieth of the time, and after the first time more than a fiftieth, together "
     "with all swaps before. `0`: they never do."},
    {"samples", "Sample the stacks of all Java threads; see [sampling.md](sampling.md)."},
    {"interval",
     "Time between two samples of a thread: its CPU time, or with `event=wall` the time that "
     "passes. `auto`: 1 ms at first, and longer when there are signals enough or when taking them "
     "costs more than 0.5 % of the CPU time; the samples in the profile add up to the number of "
     "signals ([sampling.md](sampling.md#how-many-samples)). With `event=wall`, `auto` is 10 ms. "
     "100us to 60s: always this. A late signal then has the weight of all the intervals that it "
     "stands for."},
    {"event",
     "`cpu`: each thread is sampled as it uses CPU time. `wall`: each thread is sampled as "
     "time passes, including sleeping and parked threads."},
    {"depth",
     "The most frames of a stack. Deeper stacks lose their outer frames; the statistics say "
     "how many did."},
    {"samples-memory",
     "The part of `memory` for distinct stacks. Samples that do not fit are counted as failed. "
     "Default: a quarter of `memory`, at most 64m. Without `memory`, it replaces that part of "
     "the default."},
    {"signal",
     "The signal to sample with, such as `SIGPROF` or `SIGRTMIN+4`; no other code may handle "
     "it. Default: SIGURG, or SIGWINCH if SIGURG is in use; "
     "[sampling.md](sampling.md#the-signal) says why."},
    {"precise",
     "After an attach or a later start that changes no classes (`calls=n,branches=n,...`, or "
     "`source=methoddata`): if code that the JVM compiled before holds 1 % of the samples, have it "
     "compiled again, so that its samples are on the lines that ran. This costs a pause and "
     "compiler time once; with `n` such samples are on few lines. See "
     "[sampling.md](sampling.md#attached-late)."},
};

}  // namespace

std::span<const OptionDetails> AllOptionDetails() { return kDetails; }

std::string_view DetailsOf(std::string_view option) {
  const auto* const found =
      std::find_if(std::begin(kDetails), std::end(kDetails),
                   [&](const OptionDetails& each) { return each.name == option; });
  return found == std::end(kDetails) ? std::string_view() : found->text;
}

}  // namespace iprof::vm
