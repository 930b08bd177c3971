#include "agent/settings/option_hints.h"

#include <catch2/catch.hpp>

namespace iprof::vm {
namespace {

std::string Refusal(std::string_view text) {
  const auto parsed = ParseOptions(text);
  return parsed.ok() ? "(accepted)" : parsed.status().message();
}

TEST_CASE("a comma instead of a plus between patterns") {
  for (const std::string_view option : {"include", "exclude", "only"}) {
    const std::string name(option);
    CHECK(Refusal(name + "=a.*,b.*") ==
          "unknown option 'b.*'; the patterns of " + name + "= are joined by '+', not by ','");
  }
  CHECK(Refusal("include=a.*,b=y") == "unknown option 'b' (\"help=all\" lists them all)");
}

TEST_CASE("a file without out=, or under another tool's name for it") {
  CHECK(Refusal("app.iprof") == "unknown option 'app.iprof'; did you mean 'out=app.iprof'?");
  CHECK(Refusal("/tmp/app") == "unknown option '/tmp/app'; did you mean 'out=/tmp/app'?");
  CHECK(Refusal("verbose=1,app.iprof") ==
        "unknown option 'app.iprof'; did you mean 'out=app.iprof'?");
  for (const std::string_view name : {"file", "output", "path", "--out", "-out", "OUT"}) {
    const std::string given(name);
    CHECK(Refusal(given + "=app.iprof") ==
          "unknown option '" + given + "'; did you mean 'out=app.iprof'?");
  }
  CHECK(Refusal("out=a,b.iprof") ==
        "unknown option 'b.iprof'; a comma ends the value of out=, which cannot contain one");
}

TEST_CASE("words of other tools, and help in another form") {
  CHECK(Refusal("sampling=y") == "unknown option 'sampling'; did you mean 'samples'?");
  CHECK(Refusal("filter=a.*") == "unknown option 'filter'; did you mean 'include'?");
  for (const std::string_view word : {"-h", "--help", "-help", "?", "hlep"}) {
    CHECK(Refusal(word) == "unknown option '" + std::string(word) + "'; did you mean 'help'?");
  }
  CHECK(Refusal("wxyz=1") == "unknown option 'wxyz' (\"help=all\" lists them all)");
}

TEST_CASE("options of HPROF that have another name here") {
  const std::pair<std::string_view, std::string_view> cases[] = {
      {"cpu=samples", "did you mean 'samples=y'?"},
      {"cpu=y", "did you mean 'samples=y'?"},
      {"cpu=times",
       "did you mean 'calls=y,samples=y', from which 'iprof top --times' makes times?"},
      {"cpu=old", "did you mean 'contexts=calls', which has calls by caller?"},
      {"heap=sites", "did you mean 'alloc=512k'?"},
      {"heap=dump", "did you mean 'jcmd PID GC.heap_dump FILE'?"},
      {"heap=all", "did you mean 'alloc=512k', and 'jcmd PID GC.heap_dump FILE' for the dump?"},
      {"monitor=y", "did you mean 'lock=1ms'?"},
      {"monitor=n", "waits for locks are recorded only with 'lock='"},
      {"net=localhost:5000",
       "did you mean 'control=FILE', a Unix socket for the commands of 'iprof'?"},
      {"cutoff=0.001", "did you mean 'iprof convert --to hprof@cutoff=0.0001'?"},
      {"lineno=n", "did you mean 'lines=n'?"},
      {"thread=y", "did you mean 'threads=y'?"},
      {"msa=y", "HPROF had it for Solaris only, and it is not needed"},
      {"file=java.hprof.txt", "did you mean 'out=java.hprof.txt'?"},
  };
  for (const auto& [given, hint] : cases) {
    INFO(given);
    const std::string name(given.substr(0, given.find('=')));
    CHECK(Refusal(given) == "unknown option '" + name + "'; " + std::string(hint));
    CHECK(Refusal("help," + std::string(given)) == Refusal(given));
  }
  // Help about one of them says the same.
  CHECK(Refusal("help=cpu") == Refusal("cpu=samples"));
  CHECK(Refusal("help=heap") == Refusal("heap=sites"));
  CHECK(Refusal("help=msa") == Refusal("msa=y"));
  // What is ours, too, and what no HPROF knew.
  CHECK(Refusal("doe=n,depth=4,force=n") == "(accepted)");
  CHECK(Refusal("heap=64m") == "unknown option 'heap'; did you mean 'memory'?");
  CHECK(Refusal("monitor=slow") == "unknown option 'monitor'; did you mean 'monitors'?");
}

TEST_CASE("values of HPROF for options that have others here") {
  CHECK(Refusal("format=a")
            .ends_with(
                ", not 'a'; did you mean 'iprof convert --to hprof', which writes HPROF's text?"));
  CHECK(Refusal("format=b")
            .ends_with(", not 'b'; did you mean 'jcmd PID GC.heap_dump FILE', which writes HPROF's "
                       "binary form?"));
  CHECK(Refusal("verbose=y").ends_with(", not 'y'; did you mean 'verbose=1'?"));
  CHECK(Refusal("interval=20").ends_with(", not '20'; did you mean 20ms?"));
}

TEST_CASE("a value without its unit, or with another spelling of it") {
  CHECK(Refusal("interval=10") ==
        "option 'interval' must be auto, or a number with a unit: us, ms, s, m or h, not '10'; did "
        "you mean "
        "10ms?");
  const std::pair<std::string_view, std::string_view> cases[] = {
      {"duration=30", "30s"},
      {"delay=5", "5s"},
      {"snapshot=5", "5s"},
      {"pause=50", "50ms"},
      {"rearm=2", "2s"},
      {"interval=10msec", "10ms"},
      {"interval=10MS", "10ms"},
      {"interval=atuo", "auto"},
      {"duration=5min", "5m"},
      {"duration=1.5s", "1500ms"},
      {"duration=0.5", "500ms"},
      {"overhead=5", "5%"},
      {"receivers-max-lost=5%", "5"},
      {"memory=100mb", "100m"},
      {"memory=1.5g", "1536m"},
      {"raw-max=64MiB", "64m"},
      {"gzip=true", "y"},
      {"gzip=off", "n"},
      {"force=yes", "y"},
      {"format=1.1", "1.1.0"},
  };
  for (const auto& [given, meant] : cases) {
    INFO(given);
    CHECK(Refusal(given).ends_with("; did you mean " + std::string(meant) + "?"));
    // The hint is accepted.
    const std::string name(given.substr(0, given.find('=') + 1));
    CHECK(Refusal((name == "rearm=" ? "overhead=5%,rearm=" : name) + std::string(meant)) ==
          "(accepted)");
  }
}

TEST_CASE("no hint where it is not clear") {
  for (const std::string_view text :
       {"interval=fast", "interval=", "interval=10 parsecs", "interval=1.2.3", "memory=lots",
        "memory=", "overhead=x", "overhead=500", "gzip=2", "verbose=5", "verbose=9%",
        "interval=99999999999999999999"}) {
    INFO(text);
    CHECK(Refusal(text).find("did you mean") == std::string::npos);
  }
}

}  // namespace
}  // namespace iprof::vm
