#include "agent/settings/option_details.h"

#include <algorithm>
#include <iterator>

namespace iprof::vm {
namespace {

// In the order of the table.
constexpr OptionDetails kDetails[] = {
    {"out",
     "Where the profile goes. While another live JVM has this file, a number is added "
     "(`app.1.iprof`), and the agent says so. `%p` is the process id, `%h` the host, `%t` the "
     "start time (`20260131-142530`, local), `%%` a percent sign; `~` at the beginning is the home "
     "folder (`HOME`) of the JVM. Relative to the working directory at start. Missing folders are "
     "created, for the JVM's user only. So is the profile, unless it replaces a file of the same "
     "user, whose permissions it gets. Symbolic links of other users (except root) are not "
     "followed."},
    {"force",
     "Overwrite an existing file. With `n` a number is added instead: `app.1.iprof`. With `y` and "
     "`n`, no profile is written if the program ended before its main class began (a mistyped "
     "class, `java -version`), recorded nothing, or counted nothing because `include=` matches no "
     "class; with `always` it is."},
    {"merge",
     "Add to the profile in `out` instead of overwriting it. Any number of JVMs may share one "
     "file, also at once: each adds its counts when its program ends "
     "([production.md](production.md#many-jvms-one-profile)). Where the code of a method differs, "
     "as after an update, that of the newest run is kept, and a warning says so (not with "
     "`provenance=n`). Contradicts `force=n`."},
    {"onwritefailure",
     "When the last profile cannot be written, also because native code calls `exit`. `report`: "
     "one line on stderr. `exit`: also, the process exits with status 74, instead of the program's "
     "own. A kill, a crash, `_exit` and, with most JDKs, `-XX:+ExitOnOutOfMemoryError` keep their "
     "own status."},
    {"doe", "Dump on exit: write the profile when the program ends."},
    {"dump-on-request",
     "Write the profile so far, and go on, at `jcmd PID JVMTI.data_dump` or `kill -QUIT PID`, "
     "which also prints a thread dump (not with `-Xrs`). A later profile overwrites it, without "
     "names and lines of classes that were unloaded in between. With `force=n` each has its own "
     "file."},
    {"format", "Version of the iprof format to write."},
    {"gzip", "Compress the profile. A name that ends in `.gz` implies `y`."},
    {"only",
     "Profile only programs whose main class or jar matches one of the patterns (`*` any "
     "characters, `?` one); in other programs the agent stays out, and prints one line with "
     "`verbose=1`. Patterns are joined by `+` or `;` (a shell needs quotes around `;`). A jar "
     "matches by its path as given or by its file name; a class of a module by `module/class` or "
     "by its class name."},
    {"onerror",
     "When the agent cannot start: stop the JVM, or go on without the agent after one line "
     "that says why."},
    {"verbose",
     "0: errors, warnings and one line for the result. 1: with each profile also what was counted, "
     "what was left out and why, and how exact the counts are. 2: also how the agent worked "
     "([troubleshooting.md](troubleshooting.md#lines-of-verbose2)). 3: everything."},
    {"log",
     "Where messages go instead of stderr, appended, each with its time (UTC). Patterns as in "
     "`out`. Errors go to stderr as well."},
    {"provenance",
     "Write into the profile how and where it was recorded, a random identity of the run, by which "
     "`iprof merge` counts each run once, and a hash of each recorded method's code, which differs "
     "between versions of a method. Of the program it names the main class or the jar, without "
     "folder and arguments. See [format.md](format.md#provenance)."},
    {"lines",
     "Write into the profile the source line of each position, and for each virtual call the name "
     "of the method that it calls, as far as classes have line numbers. `iprof` uses them; an "
     "image build does not. They take 2 to 4 % of the file."},
    {"raw",
     "The raw file, from which `iprof recover` makes a profile if the JVM is killed or crashes "
     "([recover.md](recover.md)). Patterns as in `out`. Default: as `out`, with the suffix "
     "`.iraw`. A file that another JVM left stays as it is, and the new one gets a number: "
     "`app.1.iraw`."},
    {"snapshot",
     "How often the raw file is brought up to date; 100ms to 1h. A program that ends before the "
     "first snapshot makes none. With `count-until`, `overhead` and `source`, each snapshot reads "
     "the whole program, and they may be rarer, as they take a fiftieth of one processor and of "
     "the program's CPU time at most. With `0` there is no raw file."},
    {"keep-raw",
     "Keep the raw file after the profile was written at the program's end. With `n` it is "
     "removed then."},
    {"raw-max",
     "The largest size of the raw file, 1m to 1g. Further classes, receivers and stacks are left "
     "out of the file, with one warning; the recovered profile says how many. The profile at the "
     "end is complete."},
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
     "Listen for the commands of the `iprof` tool on a Unix socket of this name; patterns as in "
     "`out`. Missing folders are made, for the JVM's user only. Only this user and root may "
     "connect. An existing path is refused. See [sessions.md](sessions.md)."},
    {"pause",
     "When code of loaded classes is swapped (a start or stop, `count-until`, `overhead`), as many "
     "classes are swapped at a time as fit into a pause of this length, but at least one; 1ms to "
     "60s."},
    {"reply", "For attaching tools: the socket at which they wait for the result of the attach."},
    {"mode",
     "One word for several options. `exact`: the defaults. `budget`: `overhead=5%`. `methoddata`: "
     "`source=methoddata`. Options that you give win. See [choosing.md](choosing.md)."},
    {"source",
     "Where calls, branches, receivers and type checks come from. `counters`: the agent counts "
     "them exactly. `methoddata`: they are HotSpot's own counters; no class is changed, class-data "
     "sharing stays on, and calls are estimated ([harvest.md](harvest.md)). `both`: the classes of "
     "`include` are counted exactly, and the rest is HotSpot's."},
    {"estimate",
     "HotSpot stops counting a method when its best compiler has compiled it. With `y`, calls and "
     "the weights of branches are estimated from the flow of the whole program; with `n` they are "
     "HotSpot's numbers. Shares within a branch are the same. Needs `source=methoddata`; with "
     "`source=both` calls are always estimated. See "
     "[harvest.md](harvest.md#what-the-numbers-mean)."},
    {"calls",
     "Count how often each method is called. Native and abstract methods have no bytecode, so they "
     "have no record. For methods that compilers replace, the calls at their call sites count "
     "([truth.md](truth.md#intrinsics))."},
    {"branches", "Count which way every branch and switch goes."},
    {"receivers", "Count the receivers' classes at `invokevirtual` and `invokeinterface`."},
    {"receivers-max-lost",
     "A call site is left out if the class is unknown for more than this percentage of its "
     "objects, because an image build takes the listed classes for all. `verbose=1` names the "
     "sites. With `source=methoddata` the default is 20; see "
     "[harvest.md](harvest.md#sites-with-a-rest)."},
    {"monitors",
     "Count the classes of the objects that `synchronized` methods and blocks lock. Native "
     "synchronized methods have no bytecode, so they are not counted."},
    {"instanceofs",
     "Count the classes of the objects at `instanceof` and casts; needs `format=1.1.0`."},
    {"contexts",
     "With `calls`, write the calls of each method by caller, as far as they are known; the "
     "heaviest entries, until they are 99.9 %. The rest has no caller. It costs nothing while the "
     "program runs, and makes the file larger. See [format.md](format.md#calls-by-caller). With "
     "`all`, write also the classes of receivers and the ways of branches by caller, where callers "
     "matter: at calls and branches that do several things, stacks are taken at random executions, "
     "for about 0.5 % of the CPU time (a little more in the first minute); the probes "
     "there make the program take 1.1 to 1.3 times as long as without callers. Which these are, "
     "the earlier profile of `weights=` says, or else the first 5 s of CPU time. See "
     "[format.md](format.md#receivers-and-branches-by-caller)."},
    {"jdk",
     "Count in the JDK's own classes too, from the first bytecode on (this switches class-data "
     "sharing off). With `n` only the application's classes are counted, including those of its "
     "own class loaders."},
    {"target",
     "The JDK version of the GraalVM that will build the image. It decides how lambdas are named "
     "([names.md](names.md)) and which methods the image replaces ([image.md](image.md)). Default: "
     "the version of the running JVM."},
    {"image",
     "Write only what an image build can use; see [image.md](image.md). `n` writes everything, to "
     "analyse HotSpot itself; `iprof convert --image` filters such a profile later."},
    {"include",
     "Count only in classes whose name (with dots) matches one of the patterns, joined by `+` "
     "or `;` (a shell needs quotes around `;`): `include=com.acme.*+org.acme.*`."},
    {"exclude", "Do not count in classes that match. `exclude` has precedence over `include`."},
    {"placement",
     "`tree`: few counters, from which the other counts are derived. Exact unless exceptions leave "
     "a method, then within a bound that `verbose=1` prints ([truth.md](truth.md)). `direct`: a "
     "counter for every count; not affected by exceptions, slower."},
    {"weights",
     "An earlier profile of the program, exact or harvested, plain or gzipped. The agent then "
     "counts mostly where that run seldom was, so the program is faster "
     "([overhead.md](overhead.md)). The counts are as exact as without it: what does not fit a "
     "class is ignored, and `verbose=1` prints how many branches fit. Reading it takes about 8 ms "
     "per MB; at most 64 MiB."},
    {"memory",
     "The most memory that the agent may hold, in the heap and outside it; see "
     "[memory.md](memory.md). When it is used up, classes that are loaded later are not counted, "
     "or are counted without their receivers. The smallest useful limit is about 5m. Default: "
     "256m, but at most a tenth of the container's memory limit and a quarter of the largest heap. "
     "The part in the heap never takes more than an eighth of the largest heap (`-Xmx`). In a heap "
     "below 16 MB the agent stays out."},
    {"stripes",
     "Copies of every counter, spread over the threads; a power of two. Threads that increment one "
     "counter at the same moment can lose increments; with more stripes that is rarer, and "
     "slower."},
    {"selfcheck",
     "Count everything directly and compare it, in the same run, with what `placement=tree` would "
     "have derived. `verbose=1` prints the differences."},
    {"count-until",
     "A method of which one counter has reached this number loses its probes; from then on its "
     "counts are estimated from the callers that still count "
     "([overhead.md](overhead.md#count-until-enough-is-known)). Methods that do not do the same "
     "each time keep their probes. `0`: all methods count to the end. Needs `calls=y`."},
    {"overhead",
     "While counting costs more than this share of the program's own time, by an estimate, the "
     "agent takes the probes of methods out, from 10,000 increments on (or from `count-until`), if "
     "that pays in a run of minutes. If the limit is not reached, the agent says so at the end, "
     "and why ([overhead.md](overhead.md#count-until-enough-is-known)). A whole percentage; `0`: "
     "no limit."},
    {"rearm",
     "With `count-until` or `overhead`: after this long, methods without probes count again for "
     "some seconds, so that a new phase of the program is noticed; the next time after twice as "
     "long, and so on, and later where compiling their classes again would take much of the time. "
     "`0`: they never do."},
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
    {"threads",
     "Samples know their thread ([sampling.md](sampling.md#threads)). An image build is given the "
     "same samples."},
    {"samples-memory",
     "The part of `memory` for distinct stacks. Samples that do not fit are counted as failed. "
     "Default: a quarter of `memory`, at most 64m."},
    {"signal",
     "The signal to sample with, such as `SIGPROF` or `SIGRTMIN+4`; no other code may handle "
     "it. Default: SIGURG, or SIGWINCH if SIGURG is in use; "
     "[sampling.md](sampling.md#the-signal) says why."},
    {"precise",
     "After an attach or a later start that changes no classes (`calls=n,branches=n,...`, or "
     "`source=methoddata`): have older hot code compiled again, so that its samples are on the "
     "lines that ran. This costs a pause and compiler time once. See "
     "[sampling.md](sampling.md#attached-late)."},
    {"alloc",
     "Sample the objects that the program allocates, on average one in this many bytes, with their "
     "stack, class and thread, and tell which of them survived the last collection; see "
     "[events.md](events.md). At most 1g; `512k` is cheap, and with `1` every object is sampled. "
     "The JVM gives these samples to one tool at a time. `0`: none."},
    {"lock",
     "Record the waits for locks that take at least this long: for monitors (`synchronized`) and "
     "for "
     "locks of `java.util.concurrent`, with stack, class of the lock, thread, time, and often the "
     "stack of the lock's owner; see [events.md](events.md). Between 10us and 60s; `1ms` is cheap. "
     "`0`: none."},
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
