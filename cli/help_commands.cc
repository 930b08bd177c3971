// help, version and generate: the commands that read no profile.

#include <fmt/core.h>

#include "agent/settings/option_help.h"
#include "cli/entries.h"
#include "cli/reference.h"
#include "cli/terminal/json_text.h"
#include "cli/terminal/option_kinds.h"
#include "writer/base/join_text.h"
#include "writer/base/nearest_name.h"

namespace iprof::cli {
namespace {

class HelpCommand : public Command {
 public:
  void Define(OptionList& options) override {
    options.Add("command", name_, "The command to explain").Takes("COMMAND");
    AddFormat(options, format_);
  }

  ExitCode Run(Console& console) override {
    if (name_.empty()) {
      if (format_ == "json") {
        PrintAll(console);
      } else {
        console.Write(OverviewText());
      }
      return ExitCode::kOk;
    }
    const CommandEntry* entry = FindCommand(name_);
    if (entry == nullptr) {
      return console.Error(
          Status(Code::kUsage, fmt::format("unknown command '{}' (see 'iprof help')", name_)));
    }
    if (format_ == "json") {
      JsonText json(console);
      Print(json, Describe(*entry));
    } else {
      console.Write(HelpText(Describe(*entry)));
    }
    return ExitCode::kOk;
  }

 private:
  static void PrintAll(Console& console) {
    JsonText json(console);
    json.StartObject();
    json.Key("commands");
    json.StartArray();
    for (const CommandDoc& command : DescribeAll()) Print(json, command);
    json.EndArray();
    json.EndObject();
  }

  static void Print(JsonText& json, const CommandDoc& command) {
    json.StartObject();
    json.Field("name", command.name);
    json.Field("summary", command.summary);
    json.Field("description", command.description);
    json.Field("synopsis", command.Synopsis());
    json.Key("options");
    json.StartArray();
    for (const OptionDoc& option : command.options) {
      if (option.hidden) continue;
      json.StartObject();
      json.Texts("flags", option.flags);
      json.Field("value", option.value);
      json.Field("description", option.description);
      json.EndObject();
    }
    json.EndArray();
    json.EndObject();
  }

  std::string name_;
  std::string format_ = "text";
};

class VersionCommand : public Command {
 public:
  void Define(OptionList& options) override { AddFormat(options, format_); }

  ExitCode Run(Console& console) override {
    if (format_ == "json") {
      JsonText json(console);
      json.StartObject();
      json.Field("version", IPROF_VERSION);
      json.Key("reads");
      json.StartArray();
      for (const char* version : {"0.4.0", "1.x"}) json.String(version);
      json.EndArray();
      json.Key("writes");
      json.StartArray();
      for (const std::string& version : WrittenVersions()) json.String(version);
      json.EndArray();
      json.EndObject();
      return ExitCode::kOk;
    }
    console.Print("iprof {}\nreads iprof formats 0.4.0 and 1.x, writes {}\n", IPROF_VERSION,
                  JoinText(WrittenVersions(), " and "));
    return ExitCode::kOk;
  }

 private:
  std::string format_ = "text";
};

class GenerateCommand : public Command {
 public:
  void Define(OptionList& options) override {
    options.Add("what", what_, "man, bash, zsh, fish, or options: the reference of the agent's")
        .Required()
        .Takes("WHAT");
  }

  ExitCode Run(Console& console) override {
    if (what_ == "man") {
      console.Write(ManPage());
    } else if (what_ == "bash") {
      console.Write(BashCompletion());
    } else if (what_ == "zsh") {
      console.Write(ZshCompletion());
    } else if (what_ == "fish") {
      console.Write(FishCompletion());
    } else if (what_ == "options") {
      console.Write(vm::OptionReference());
    } else {
      return console.Error(Status(
          Code::kUsage, fmt::format("'{}' is not one of man, bash, zsh, fish, options", what_)));
    }
    return ExitCode::kOk;
  }

 private:
  std::string what_;
};

constexpr Example kHelpExamples[] = {{"iprof help merge", "Explain the merge command."}};

}  // namespace

const CommandEntry kHelpEntry = {"help", "Explain iprof or one of its commands",
                                 "Prints the list of commands, or everything about one command.",
                                 kHelpExamples,
                                 [] { return std::unique_ptr<Command>(new HelpCommand); }};

const CommandEntry kVersionEntry = {
    "version",
    "Print the version of iprof and of the formats it knows",
    "Prints iprof's own version and the versions of the profile format that it reads and writes.",
    {},
    [] { return std::unique_ptr<Command>(new VersionCommand); }};

const CommandEntry kGenerateEntry = {
    "generate",
    "Print the man page, a shell's completions, or the reference of the agent's options",
    "Prints the man page (man), the completion script of a shell (bash, zsh, fish), or the tables "
    "of docs/options.md (options). The build calls it, so that documentation and parser share one "
    "definition.",
    {},
    [] { return std::unique_ptr<Command>(new GenerateCommand); },
    true};

}  // namespace iprof::cli
