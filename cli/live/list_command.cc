// iprof list: the JVMs that run on this machine.
#include <algorithm>
#include <array>
#include <numeric>
#include <string>
#include <vector>

#include "cli/jvm/running_jvm.h"
#include "cli/live/live_entries.h"
#include "cli/terminal/json_text.h"
#include "cli/terminal/option_kinds.h"
#include "cli/terminal/terminal_text.h"
#include "cli/terminal/text_layout.h"

namespace iprof::cli {
namespace {

class ListCommand : public Command {
 public:
  void Define(OptionList& options) override { AddFormat(options, format_); }

  ExitCode Run(Console& console) override {
    const std::vector<jvm::RunningJvm> jvms = jvm::FindJvms();
    if (format_ == "json") {
      PrintJson(console, jvms);
    } else {
      PrintText(console, jvms);
    }
    return ExitCode::kOk;
  }

 private:
  static constexpr size_t kColumns = 5;
  using Row = std::array<std::string, kColumns>;

  static std::string OrQuestionMark(const std::string& text) {
    return text.empty() ? "?" : EscapeForTerminal(text);
  }

  static void PrintText(Console& console, const std::vector<jvm::RunningJvm>& jvms) {
    std::vector<Row> rows = {{"PID", "USER", "JDK", "AGENT", "PROGRAM"}};
    for (const jvm::RunningJvm& each : jvms) {
      rows.push_back({std::to_string(each.pid), EscapeForTerminal(jvm::UserName(each.uid)),
                      OrQuestionMark(each.jdk_version), each.agent ? "yes" : "no",
                      OrQuestionMark(each.program)});
    }
    std::array<size_t, kColumns> widths{};
    for (const Row& row : rows) {
      for (size_t i = 0; i < kColumns; ++i) widths[i] = std::max(widths[i], WidthOf(row[i]));
    }
    const size_t figures = std::accumulate(widths.begin(), widths.end() - 1, 2 * kColumns - 2);
    const size_t room = LayoutOf(console).Room(figures);
    for (size_t n = 0; n < rows.size(); ++n) {
      const Row& row = rows[n];
      const std::string line =
          fmt::format("{:>{}}  {:<{}}  {:<{}}  {:<{}}  {}", row[0], widths[0], row[1], widths[1],
                      row[2], widths[2], row[3], widths[3], CutTo(row[4], room));
      if (n == 0) {
        console.Heading(line);
      } else {
        console.Print("{}\n", line);
      }
    }
  }

  static void PrintJson(Console& console, const std::vector<jvm::RunningJvm>& jvms) {
    JsonText json(console);
    json.StartObject();
    json.Objects("jvms", jvms, [&](const jvm::RunningJvm& each) {
      json.Field("pid", static_cast<int64_t>(each.pid));
      json.Field("pid_in_container", static_cast<int64_t>(each.inner_pid));
      json.Field("user", jvm::UserName(each.uid));
      json.Field("jdk", each.jdk_version);
      json.Field("program", each.program);
      json.Field("agent", each.agent.has_value());
      if (each.agent) json.Field("agent_library", each.agent->path);
      json.Field("attach_disabled", each.attach_disabled);
    });
    json.EndObject();
  }

  std::string format_ = "text";
};

constexpr Example kListExamples[] = {
    {"iprof list", "The JVMs of this user, or of all users for root."},
    {"iprof list --format json", "The same for programs."},
};

}  // namespace

const CommandEntry kListEntry = {
    "list", "List the running JVMs, and which of them have the agent",
    "Prints for each HotSpot JVM of this user its process id, the version of its JDK, whether our "
    "agent's library is loaded in it, and its main class, jar or module. Root sees the JVMs of all "
    "users, also those in containers.\n\n"
    "The library stays loaded after 'iprof harvest --attach' or '--fresh' and 'iprof refresh', "
    "without "
    "an agent that runs: 'iprof status' says which it is.\n\n"
    "It reads files only, so the JVMs do not notice. '?' stands for what cannot be found out.",
    kListExamples, [] { return std::unique_ptr<Command>(new ListCommand); }};

}  // namespace iprof::cli
