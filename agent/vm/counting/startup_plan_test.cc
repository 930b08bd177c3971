#include "agent/vm/counting/startup_plan.h"

#include <catch2/catch.hpp>
#include <map>

namespace iprof::vm {
namespace {

// A JVM's flags and arguments.
struct Vm {
  std::map<std::string, bool, std::less<>> booleans = {};
  std::map<std::string, std::string, std::less<>> texts = {};
  std::string share = {};  // the last -Xshare: argument

  StartupPlan Plan(bool count_jdk) const {
    return PlanStartup(
        count_jdk, {.boolean = [this](std::string_view name) -> std::optional<bool> {
                      const auto found = booleans.find(name);
                      return found == booleans.end() ? std::nullopt : std::optional(found->second);
                    },
                    .text = [this](std::string_view name) -> std::optional<std::string> {
                      const auto found = texts.find(name);
                      return found == texts.end() ? std::nullopt : std::optional(found->second);
                    },
                    .last_argument = [this](std::string_view prefix) -> std::optional<std::string> {
                      return prefix == "-Xshare:" && !share.empty() ? std::optional(share)
                                                                    : std::nullopt;
                    }});
  }
};

TEST_CASE("counting starts with the first bytecode, unless the user insists on an archive") {
  CHECK(Vm{}.Plan(true).start == CountingStart::kFirstBytecode);
  CHECK(Vm{}.Plan(true).notice.empty());
  // Flags that exist and are not set.
  const Vm quiet{{{"DumpSharedSpaces", false}},
                 {{"AOTCache", ""}, {"SharedArchiveFile", "a.jsa"}},
                 "-Xshare:auto"};
  CHECK(quiet.Plan(true).start == CountingStart::kFirstBytecode);
  CHECK(Vm{.share = "-Xshare:off"}.Plan(true).start == CountingStart::kFirstBytecode);
}

TEST_CASE("what rules the early hook out is named in one sentence, and counting starts later") {
  struct Conflict {
    Vm vm;
    std::string named;
  };
  const Conflict conflicts[] = {
      {{.share = "-Xshare:on"}, "-Xshare:on"},
      {{.texts = {{"AOTCache", "app.aot"}}}, "an AOT cache"},
  };
  for (const Conflict& conflict : conflicts) {
    INFO(conflict.named);
    const StartupPlan plan = conflict.vm.Plan(true);
    CHECK(plan.start == CountingStart::kRetransform);
    CHECK(plan.notice == conflict.named +
                             " rules out counting from the first bytecode on: counting starts when "
                             "the VM is initialised");
    CHECK(conflict.vm.Plan(false).start == CountingStart::kApplication);
  }
}

TEST_CASE("while an archive is made, the JDK's classes are left alone") {
  const std::pair<Vm, std::string> makers[] = {
      {{.texts = {{"AOTCacheOutput", "app.aot"}}}, "an AOT cache"},
      {{.texts = {{"AOTConfiguration", "app.conf"}}}, "an AOT cache"},
      {{.booleans = {{"DumpSharedSpaces", true}}}, "a class-data archive"},
      {{.texts = {{"ArchiveClassesAtExit", "app.jsa"}}}, "a class-data archive"},
  };
  for (const auto& [vm, named] : makers) {
    INFO(named);
    CHECK(vm.Plan(true).start == CountingStart::kApplication);
    CHECK(vm.Plan(true).notice ==
          "creating " + named +
              " rules out counting in the JDK's classes: only the application's are counted");
    CHECK(vm.Plan(false).start == CountingStart::kApplication);
    CHECK(vm.Plan(false).notice.empty());
  }
}

TEST_CASE("jdk=n needs no early hook; lambdas from an archive are told") {
  CHECK(Vm{}.Plan(false).start == CountingStart::kApplication);
  CHECK(Vm{}.Plan(false).notice.empty());
  for (const char* flag : {"SharedArchiveFile", "AOTCache"}) {
    const StartupPlan plan = Vm{.texts = {{flag, "app.jsa"}}}.Plan(false);
    CHECK(plan.start == CountingStart::kApplication);
    CHECK(plan.notice.find("lambdas") != std::string::npos);
    CHECK(plan.notice.find("with -Xshare:off they are") != std::string::npos);
  }
}

}  // namespace
}  // namespace iprof::vm
