#include "agent/vm/counting/startup_plan.h"

#include <fmt/core.h>

namespace iprof::vm {

StartupPlan PlanStartup(bool count_jdk, const FlagQueries& flags) {
  const auto set = [&](std::string_view name) {
    const auto text = flags.text(name);
    return text && !text->empty();
  };
  if (!count_jdk) {
    // Lambdas from an archive are defined without any hook.
    if (set("SharedArchiveFile") || set("AOTCache")) {
      return {CountingStart::kApplication,
              "lambdas from the application's class-data archive are not counted; with -Xshare:off "
              "they are"};
    }
    return {CountingStart::kApplication, ""};
  }
  std::string_view making;
  if (set("AOTCacheOutput") || set("AOTConfiguration")) {
    making = "an AOT cache";
  } else if (flags.boolean("DumpSharedSpaces").value_or(false) || set("ArchiveClassesAtExit")) {
    making = "a class-data archive";
  }
  if (!making.empty()) {
    return {CountingStart::kApplication, fmt::format("creating {} rules out counting in the JDK's "
                                                     "classes: only the application's are counted",
                                                     making)};
  }
  std::string_view conflict;
  if (flags.last_argument("-Xshare:").value_or("") == "-Xshare:on") {
    conflict = "-Xshare:on";
  } else if (set("AOTCache")) {
    conflict = "an AOT cache";
  }
  if (conflict.empty()) return {CountingStart::kFirstBytecode, ""};
  return {CountingStart::kRetransform, fmt::format("{} rules out counting from the first bytecode "
                                                   "on: counting starts when the VM is initialised",
                                                   conflict)};
}

}  // namespace iprof::vm
