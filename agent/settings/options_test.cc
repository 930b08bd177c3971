#include "agent/settings/options.h"

#include <algorithm>
#include <catch2/catch.hpp>

using namespace iprof;
using namespace iprof::vm;

namespace {

Options Parsed(std::string_view text) {
  const auto parsed = ParseOptions(text);
  INFO(text << ": " << parsed.status().message());
  REQUIRE(parsed.ok());
  return parsed->options;
}

std::string Refusal(std::string_view text) {
  const auto parsed = ParseOptions(text);
  return parsed.ok() ? "(accepted)" : parsed.status().message();
}

}  // namespace

TEST_CASE("without options the table's defaults hold") {
  const Options options = Parsed("");
  CHECK(options.out == "default.iprof");
  CHECK(options.force == Overwrite::kYes);
  CHECK_FALSE(options.merge);
  CHECK(options.on_write_failure == OnWriteFailure::kReport);
  CHECK(options.dump_on_exit);
  CHECK(options.format == FormatVersion::k1_0_0);
  CHECK_FALSE(options.gzip);
  CHECK(options.only.empty());
  CHECK(options.on_error == OnError::kFail);
  CHECK(options.verbose == 0);
  CHECK(options.log.empty());
}

TEST_CASE("every option arrives") {
  const Options options = Parsed(
      "out=a/"
      "%p.iprof,force=n,doe=n,format=1.1.0,gzip=y,only=com.acme.*;t.jar,onerror=ignore,verbose=3,"
      "log=l");
  CHECK(options.out == "a/%p.iprof");
  CHECK(options.force == Overwrite::kNo);
  CHECK_FALSE(options.dump_on_exit);
  CHECK(options.format == FormatVersion::k1_1_0);
  CHECK(options.gzip);
  CHECK(options.only == PatternList{"com.acme.*", "t.jar"});
  CHECK(options.on_error == OnError::kIgnore);
  CHECK(options.verbose == 3);
  CHECK(options.log == "l");
}

TEST_CASE("options about files that are there, or cannot be written") {
  const Options options = Parsed("force=always,merge=y,onwritefailure=exit");
  CHECK(options.force == Overwrite::kAlways);
  CHECK(options.merge);
  CHECK(options.on_write_failure == OnWriteFailure::kExit);
  CHECK(Refusal("onwritefailure=fail") ==
        "option 'onwritefailure' must be one of report|exit, not 'fail'");
}

TEST_CASE("a refusal is one sentence that names the option") {
  CHECK(Refusal("ouf=x") == "unknown option 'ouf'; did you mean 'out=x'?");
  CHECK(Refusal("hlep") == "unknown option 'hlep'; did you mean 'help'?");
  CHECK(Refusal("wxyz=y") == "unknown option 'wxyz' (\"help=all\" lists them all)");
  CHECK(Refusal("force=yes") ==
        "option 'force' must be one of y|n|always, not 'yes'; did you mean y?");
  CHECK(Refusal("force") == "option 'force' needs a value: force=y|n|always");
  CHECK(Refusal("format=1.1").starts_with("option 'format' must be one of 1.0.0|1.1.0"));
  CHECK(Refusal("format=1.1").ends_with(", not '1.1'; did you mean 1.1.0?"));
  CHECK(Refusal("onerror=ingore") ==
        "option 'onerror' must be one of fail|ignore, not 'ingore'; did you mean ignore?");
  CHECK(Refusal("verbose=4") == "option 'verbose' must be a whole number from 0 to 3, not '4'");
  CHECK(Refusal("signal=SIGKILL") ==
        "option 'signal' must be a signal that sampling may use, such as SIGPROF, SIGRTMIN+4 or "
        "40, not 'SIGKILL'");
  CHECK(Refusal("out=") == "option 'out' must name a file, not ''");
  CHECK(Refusal("only=a;;b") ==
        "option 'only' must be patterns joined by '+' or ';', none of them empty, not 'a;;b'");
  CHECK(Refusal("out=a,,force=y") == "an option is missing between two commas");
  CHECK(Refusal("=x") == "unknown option '' (\"help=all\" lists them all)");
}

TEST_CASE("the raw file's options") {
  const Options none = Parsed("");
  CHECK(none.raw.empty());
  CHECK(none.snapshot.ns == 5'000'000'000);
  CHECK_FALSE(none.keep_raw);
  CHECK(none.raw_max.bytes == int64_t{256} << 20);
  const Options given = Parsed("raw=r/%p.iraw,snapshot=200ms,keep-raw=y,raw-max=8m");
  CHECK(given.raw == "r/%p.iraw");
  CHECK(given.snapshot.ns == 200'000'000);
  CHECK(given.keep_raw);
  CHECK(given.raw_max.bytes == 8 << 20);
  CHECK(Parsed("snapshot=0").snapshot.ns == 0);
  CHECK(Parsed("snapshot=0,keep-raw=n").snapshot.ns == 0);

  CHECK(Refusal("snapshot=99ms") == "option 'snapshot' must be 0, or between 100ms and 1h");
  CHECK(Refusal("snapshot=2h") == "option 'snapshot' must be 0, or between 100ms and 1h");
  CHECK(Refusal("raw-max=1023k") == "option 'raw-max' must be between 1m and 1g");
  CHECK(Refusal("raw-max=2g") == "option 'raw-max' must be between 1m and 1g");
  for (const std::string_view option : {"raw=a", "keep-raw=y", "raw-max=8m"}) {
    const std::string name(option.substr(0, option.find('=') + 1));
    CHECK(Refusal("snapshot=0," + std::string(option)) ==
          name + " is about the raw file, and with snapshot=0 there is none");
  }
  for (const std::string_view option :
       {"raw=a", "keep-raw=y", "raw-max=8m", "snapshot=0", "snapshot=1s"}) {
    for (const std::string_view mode : {"source=methoddata,samples=n,", "mode=budget,",
                                        "count-until=9,", "source=both,include=a.*,samples=n,"})
      CHECK(Refusal(std::string(mode) + std::string(option)) == "(accepted)");
  }
  for (const std::string_view other : {"out", "log", "control"})
    CHECK(Refusal("raw=x," + std::string(other) + "=x") ==
          "raw names the same file as another option");
}

TEST_CASE("waits for locks are recorded only if a time is given") {
  CHECK(Parsed("").lock.ns == 0);
  CHECK_FALSE(Parsed("lock=0").RecordsEvents());
  const Options given = Parsed("lock=1ms");
  CHECK(given.lock.ns == 1'000'000);
  CHECK(given.RecordsEvents());
  CHECK(Parsed("lock=10us").lock.ns == 10'000);
  CHECK(Refusal("lock=9us") == "option 'lock' must be 0, or between 10us and 60s");
  CHECK(Refusal("lock=61s") == "option 'lock' must be 0, or between 10us and 60s");
  CHECK(Refusal("lock=y").find("'lock'") != std::string::npos);
}

TEST_CASE("allocations are sampled only if a distance is given") {
  CHECK(Parsed("").alloc.bytes == 0);
  CHECK_FALSE(Parsed("alloc=0").RecordsEvents());
  const Options given = Parsed("alloc=512k");
  CHECK(given.alloc.bytes == 512 << 10);
  CHECK(given.RecordsEvents());
  CHECK(Parsed("alloc=1g").alloc.bytes == 1 << 30);
  CHECK(Refusal("alloc=2g") == "option 'alloc' must be 0, or a size up to 1g");
  CHECK(Refusal("alloc=y").starts_with("option 'alloc' must be a number of bytes"));
}

TEST_CASE("contradictions are refused") {
  CHECK(Refusal("out=a,out=b") == "option 'out' is given twice");
  CHECK(Refusal("gzip=n,out=a.iprof.gz") ==
        "gzip=n contradicts out=a.iprof.gz, whose name ends in .gz");
  CHECK(Refusal("merge=y,force=n") ==
        "merge=y adds to an existing profile, and force=n forbids to change it");
  CHECK(Parsed("merge=y,force=always").merge);
  CHECK(Refusal("out=x,log=x") == "log and out name the same file");
}

TEST_CASE("a name that ends in .gz implies gzip") {
  CHECK(Parsed("out=a.iprof.gz").gzip);
  CHECK(Parsed("out=a.iprof,gzip=y").gzip);
  CHECK_FALSE(Parsed("out=a.gz.iprof").gzip);
}

TEST_CASE("help is asked for anywhere, and a trailing comma is forgiven") {
  CHECK(ParseOptions("help")->help);
  CHECK(ParseOptions("out=x,help")->help);
  CHECK_FALSE(ParseOptions("out=x,")->help);
  CHECK(Parsed("out=x,").out == "x");
}

TEST_CASE("onerror=ignore is seen beside any nonsense") {
  CHECK(AsksToIgnoreErrors("bogus=1,onerror=ignore"));
  CHECK(AsksToIgnoreErrors("onerror=ignore,,="));
  CHECK_FALSE(AsksToIgnoreErrors("bogus=1"));
  CHECK_FALSE(AsksToIgnoreErrors("out=onerror=ignore"));
}

TEST_CASE("source= contradicts what it cannot do") {
  CHECK(ParseOptions("source=methoddata")->options.source == CountSource::kMethodData);
  CHECK_FALSE(ParseOptions("source=methoddata")->options.monitors);
  // HotSpot lists two classes a site, so a harvest may miss more.
  CHECK(ParseOptions("source=methoddata")->options.receivers_max_lost == 20);
  CHECK(ParseOptions("mode=methoddata")->options.receivers_max_lost == 20);
  CHECK(ParseOptions("source=methoddata,receivers-max-lost=2")->options.receivers_max_lost == 2);
  CHECK(ParseOptions("source=both,include=a.*")->options.receivers_max_lost == 2);
  CHECK(ParseOptions("")->options.receivers_max_lost == 2);
  CHECK(ParseOptions("source=methoddata,monitors=n,include=a.*,start=n").ok());
  CHECK(ParseOptions("source=both,include=a.*,jdk=n,placement=direct,duration=1s").ok());
  CHECK(ParseOptions("source=counters,jdk=n,monitors=y").ok());
  CHECK(Refusal("source=both") ==
        "source=both needs include=, for the classes that are counted exactly");
  for (const char* option : {"placement=direct", "stripes=2", "selfcheck=y", "jdk=n", "jdk=y"}) {
    const std::string name(option, std::string_view(option).find('='));
    CHECK(Refusal("source=methoddata," + std::string(option)) ==
          name + "= is about the agent's own counters, and source=methoddata has none");
  }
  CHECK(Refusal("source=methoddata,monitors=y") ==
        "monitors=y needs source=counters or source=both: HotSpot does not count locks");
  for (const char* late : {"start=n", "delay=1s"}) {
    CHECK(Refusal("source=both,include=a.*," + std::string(late)) ==
          "source=both must count from the JVM's start, as HotSpot does, so it contradicts start=n "
          "and "
          "delay=");
  }
  CHECK(Refusal("source=both,include=a.*,calls=n,branches=n,receivers=n") ==
        "source= has no effect when nothing is to be counted");
  CHECK(Refusal("source=method").find("did you mean methoddata?") != std::string::npos);
  CHECK_FALSE(Parsed("source=methoddata,estimate=n").estimate);
  CHECK(Refusal("source=both,include=a.*,estimate=n") ==
        "estimate=n needs source=methoddata: with source=both, exact counts and HotSpot's would "
        "not be on one scale");
}

TEST_CASE("what a message shows of the user's text is short and printable") {
  const std::string message = Refusal(std::string(100'000, 'x') + "\n=1");
  CHECK(message.size() < 200);
  CHECK(message.find('\n') == std::string::npos);
}

TEST_CASE("so it is for the value of every option") {
  const std::string text = "\x01" + std::string(100'000, 'x') + '\0';
  for (const OptionSpec& spec : OptionTable()) {
    const std::string refusal = Refusal(std::string(spec.name) + "=" + text);
    CAPTURE(refusal);
    CHECK(refusal.size() < 500);
    CHECK(std::none_of(refusal.begin(), refusal.end(),
                       [](char c) { return static_cast<unsigned char>(c) < 0x20; }));
  }
}

TEST_CASE("a profile shows what the user gave, without folders, and not what a tool added") {
  CHECK(Parsed("calls=n,out=/tmp/a/b.iprof,depth=9").given == "calls=n,out=b.iprof,depth=9");
  CHECK(Parsed("depth=9,reply=/tmp/r,start=n,out=/tmp/x/agent.iprof").given == "depth=9");
  CHECK(Parsed("reply=/tmp/r").given.empty());
  CHECK(Parsed("depth=9,reply=/tmp/r,start=n,out=/tmp/x/agent.iprof").out_is_tools);
  CHECK_FALSE(Parsed("out=/tmp/x/agent.iprof,reply=/tmp/r").out_is_tools);
  // Where reply= has no room.
  CHECK(Parsed("depth=9,start=n,out=/tmp/.iprof-0123456789abcdef/agent.iprof").out_is_tools);
  CHECK_FALSE(Parsed("out=/tmp/.iprof-0123456789abcdeg/agent.iprof").out_is_tools);
  CHECK_FALSE(Parsed("out=/tmp/.iprof-0123456789abcde/agent.iprof").out_is_tools);
  CHECK_FALSE(Parsed("out=/tmp/.iprof-0123456789abcdef").out_is_tools);
  CHECK_FALSE(Parsed("out=/tmp/.iprof-0123456789abcdef/x/agent.iprof").out_is_tools);
  CHECK_FALSE(Parsed("out=/srv/tmp/.iprof-0123456789abcdef/agent.iprof").out_is_tools);
  CHECK(Parsed("only=/home/x/app.jar+a.B+jdk.compiler/a.Main;*/y/b*+./z/c").given ==
        "only=app.jar+a.B+jdk.compiler/a.Main;b*+c");
  CHECK(Parsed("only=x/app.jar").given == "only=app.jar");
}

TEST_CASE("a mode is short for other options, and those that are given win") {
  CHECK_FALSE(Parsed("mode=exact").Freezes());
  CHECK(Parsed("mode=budget").overhead == 5);
  CHECK(Parsed("overhead=2%,mode=budget").overhead == 2);
  CHECK_FALSE(Parsed("mode=budget,overhead=0").Freezes());
  CHECK(Parsed("mode=methoddata").source == CountSource::kMethodData);
  CHECK(Parsed("mode=methoddata,source=counters").source == CountSource::kCounters);
  CHECK(Refusal("mode=budgt") ==
        "option 'mode' must be one of exact|budget|methoddata, not 'budgt'; did you mean budget?");
}

TEST_CASE("a contradiction names the mode if that is what was given") {
  CHECK(Refusal("mode=budget,calls=n") ==
        "mode=budget needs calls=y: calls tell what methods without probes do");
  CHECK(Refusal("mode=budget,selfcheck=y") ==
        "selfcheck=y needs exact counts, so it contradicts mode=budget");
  CHECK(Refusal("mode=budget,source=methoddata") ==
        "mode=budget is about the agent's own counters, and source=methoddata has none");
  CHECK(Refusal("mode=methoddata,count-until=10") ==
        "count-until= is about the agent's own counters, and mode=methoddata has none");
  CHECK(Refusal("mode=methoddata,overhead=1%") ==
        "overhead= is about the agent's own counters, and mode=methoddata has none");
  CHECK(Refusal("mode=methoddata,stripes=2") ==
        "stripes= is about the agent's own counters, and mode=methoddata has none");
  CHECK(Refusal("mode=methoddata,calls=n,branches=n,receivers=n") ==
        "mode=methoddata has no effect when nothing is to be counted");
  // What was given is named.
  CHECK(Refusal("mode=budget,overhead=2%,calls=n") ==
        "overhead= needs calls=y: calls tell what methods without probes do");
}

TEST_CASE("when methods stop being counted") {
  const Options options = Parsed("count-until=100000,rearm=7s");
  CHECK(options.Freezes());
  CHECK(options.count_until == 100'000);
  CHECK(options.rearm.ns == 7'000'000'000);
  CHECK_FALSE(Parsed("").Freezes());
  CHECK(Refusal("overhead=5") ==
        "option 'overhead' must be a whole percentage between 0% and 100%, not '5'; did you mean "
        "5%?");
  CHECK(Refusal("overhead=0.5%") ==
        "option 'overhead' must be a whole percentage between 0% and 100%, not '0.5%'");
  CHECK(Refusal("overhead=101%") ==
        "option 'overhead' must be a whole percentage between 0% and 100%, not '101%'");
  CHECK(Refusal("overhead=5%,snapshot=1s") == "(accepted)");
  CHECK(Parsed("count-until=9,snapshot=0").Freezes());
  CHECK(Refusal("rearm=5s") == "rearm= has no effect without count-until= or overhead=");
  CHECK(Refusal("count-until=9,calls=n") ==
        "count-until= needs calls=y: calls tell what methods without probes do");
  CHECK(Refusal("overhead=5%,selfcheck=y") ==
        "selfcheck=y needs exact counts, so it contradicts overhead=");
  CHECK(Refusal("count-until=9,source=methoddata") ==
        "count-until= is about the agent's own counters, and source=methoddata has none");
}

TEST_CASE("what is about something that is switched off is refused") {
  for (const std::string_view option : {"interval=1ms", "event=wall", "depth=9", "threads=y",
                                        "samples-memory=1m", "signal=SIGPROF"}) {
    const std::string name(option.substr(0, option.find('=') + 1));
    CHECK(Refusal("samples=n," + std::string(option)) == name + " has no effect without samples=y");
    CHECK(Refusal(std::string(option)) == "(accepted)");
  }
  CHECK(Refusal("receivers=n,receivers-max-lost=5") ==
        "receivers-max-lost= has no effect without receivers=y or instanceofs=y");
  CHECK(Refusal("receivers=n,receivers-max-lost=5,instanceofs=y,format=1.1.0") == "(accepted)");
  CHECK(Refusal("estimate=n") == "estimate= has no effect without source=methoddata");
  for (const std::string_view name : {"include", "exclude"}) {
    CHECK(Refusal("calls=n,branches=n,receivers=n,monitors=n," + std::string(name) + "=a.*") ==
          std::string(name) + "= has no effect without a table that is counted");
  }
}

TEST_CASE("a limit of memory in which nothing fits is a forgotten unit") {
  CHECK(Refusal("memory=100") ==
        "option 'memory' must be at least 64k (a number without a unit is in bytes)");
  CHECK(Refusal("memory=64k") == "(accepted)");
}

TEST_CASE("help=OPTION asks about one option") {
  CHECK(ParseOptions("help=interval")->help);
  CHECK(ParseOptions("help=interval")->help_about == "interval");
  CHECK(ParseOptions("help")->help_about.empty());
  CHECK(ParseOptions("help=")->help_about.empty());
  CHECK(ParseOptions("help=all")->help_about == kHelpAboutAll);
  CHECK(ParseOptions("help=stripes")->help_about == "stripes");
  CHECK(Refusal("help=intervall") == "unknown option 'intervall'; did you mean 'interval'?");
}
