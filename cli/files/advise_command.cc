// iprof advise: whether a profile is good enough for an image build, why not, and what to type next.
#include <sys/stat.h>

#include <algorithm>
#include <optional>

#include "cli/classpath/class_path.h"
#include "cli/files/file_entries.h"
#include "cli/files/fit_check.h"
#include "cli/files/profile_files.h"
#include "cli/files/target_option.h"
#include "cli/terminal/json_text.h"
#include "cli/terminal/option_kinds.h"
#include "cli/terminal/terminal_text.h"
#include "cli/terminal/text_layout.h"
#include "writer/base/grouped.h"
#include "writer/base/join_text.h"
#include "writer/ops/advice.h"
#include "writer/ops/check.h"
#include "writer/profile/image/image_note.h"

namespace iprof::cli {
namespace {

// A larger file is no profile of one program: those of large applications have 10 to 50 MB.
constexpr uint64_t kMostBytes = uint64_t{512} << 20;

ExitCode ExitCodeOf(Usability usability) {
  switch (usability) {
    case Usability::kUsable:
      return ExitCode::kOk;
    case Usability::kDoubts:
      return ExitCode::kFindings;
    case Usability::kUnusable:
      break;
  }
  return ExitCode::kUnusable;
}

class AdviseCommand : public Command {
 public:
  void Define(OptionList& options) override {
    options.Add("file", files_, "The profiles for one image").Required().Takes("FILE");
    options
        .Add("--classpath", fit_.class_path,
             "Compare with the class files of the image: jars and folders, joined by ':'; "
             "'FOLDER/*' is all jars of a folder")
        .Takes("FILE");
    options
        .Add("--jdk", fit_.jdk_home,
             "Compare with the classes of the JDK in this folder, which builds the image")
        .Takes("DIR");
    AddTarget(options, target_);
    AddFormat(options, format_);
  }

  ExitCode Run(Console& console) override {
    if (std::find(files_.begin(), files_.end(), "-") != files_.end()) {
      return console.Error(
          Status(Code::kUsage, "iprof advise reads a profile twice, so it cannot be '-'"));
    }
    if (!target_.empty()) fit_.target = TargetOf(target_, std::nullopt);
    return format_ == "json" ? RunJson(console) : RunText(console);
  }

 private:
  static Status CheckSize(const std::string& path) {
    struct stat info {};
    if (stat(path.c_str(), &info) != 0 || !S_ISREG(info.st_mode)) return {};
    const auto size = static_cast<uint64_t>(info.st_size);
    if (size <= kMostBytes) return {};
    return {Code::kLimit,
            fmt::format("{} has {} MB, and iprof advise reads at most {} MB: it is no profile, or "
                        "stacks and contexts fill it (iprof show --stats)",
                        path, Grouped(size >> 20), kMostBytes >> 20)};
  }

  Result<Advice> Advise(Console& console, const std::string& path) const {
    if (Status status = CheckSize(path); !status.ok()) return status;
    AdviceContext context{.file = path, .target = fit_.target};
    if (Status status = AddChecks(console, path, context); !status.ok()) return status;
    const Result<Profile> profile = ReadInput(console, path);
    if (!profile.ok()) return profile.status();
    if (fit_.given()) {
      const Result<FitResult> fit = CheckFit(*profile, fit_);
      if (!fit.ok()) return fit.status();
      if (fit->fitness.total.entries > 0) context.fit = FactsOf(fit->fitness);
      if (!context.target && !fit_.jdk_home.empty())
        context.target = ImageTargetForJdk(FeatureRelease(fit->jdk_version));
      context.class_files = ClassFiles();
    }
    return AdviseOn(*profile, context);
  }

  // What is seen only while the file is read.
  static Status AddChecks(Console& console, const std::string& path, AdviceContext& context) {
    return WithInput(console, path, [&](ByteSource& source, const std::string& name) -> Status {
      const Result<CheckCounts> checked =
          CheckProfile(source, name, CheckOptions(), [](const Finding&) {});
      if (!checked.ok()) return checked.status();
      context.format_errors = checked->errors - checked->impossible;
      const std::optional<ImageNote>& note = checked->image.note;
      // An instrumented image records only what an image has.
      if (!note || (note->filtered && context.target.value_or(note->target) == note->target))
        return {};
      context.image = checked->image.Of(context.target.value_or(note->target));
      return {};
    });
  }

  std::string ClassFiles() const {
    std::string text;
    if (!fit_.class_path.empty()) text = "--classpath " + fit_.class_path;
    if (!fit_.jdk_home.empty()) text += (text.empty() ? "--jdk " : " --jdk ") + fit_.jdk_home;
    return text;
  }

  ExitCode RunText(Console& console) const {
    ExitCode code = ExitCode::kOk;
    const Layout layout = LayoutOf(console);
    for (const std::string& path : files_) {
      const Result<Advice> advice = Advise(console, path);
      if (!advice.ok()) {
        console.Flush();
        code = std::max(code, console.Error(advice.status()));
        continue;
      }
      Print(console, path, *advice, layout);
      code = std::max(code, ExitCodeOf(advice->verdict));
    }
    if (files_.size() > 1) {
      console.Print("together: iprof merge -o all.iprof {}\n",
                    EscapeForTerminal(JoinText(files_, " ")));
    }
    return code;
  }

  static void Print(Console& console, const std::string& path, const Advice& advice,
                    const Layout& layout) {
    const auto line = [&](std::string_view title, const std::string& text) {
      console.Write(Paragraph(fmt::format("{:<12}", title), EscapeForTerminal(text), layout));
    };
    console.Heading(fmt::format("{}: {}", EscapeForTerminal(path), NameOf(advice.verdict)));
    for (const Reason& reason : advice.reasons) {
      console.Write(
          Paragraph(reason.grade == Usability::kUnusable ? "  fails:    " : "  doubt:    ",
                    EscapeForTerminal(fmt::format("{} [{}]", reason.text, reason.rule)), layout));
    }
    for (const auto& [what, text] : advice.facts) line(fmt::format("  {}:", what), text);
    // A command is not broken, so that it can be copied.
    console.Print("{:<12}{}\n", "next:", EscapeForTerminal(advice.next));
    if (!advice.build.empty())
      console.Print("{:<12}{}\n", "build:", EscapeForTerminal(advice.build));
  }

  ExitCode RunJson(Console& console) const {
    ExitCode code = ExitCode::kOk;
    JsonText json(console);
    json.StartObject();
    json.Objects("files", files_, [&](const std::string& path) {
      json.Field("file", path);
      const Result<Advice> advice = Advise(console, path);
      if (!advice.ok()) {
        json.Field("failed", advice.status().message());
        code = std::max(code, console.Error(advice.status()));
        return;
      }
      Print(json, *advice);
      code = std::max(code, ExitCodeOf(advice->verdict));
    });
    json.EndObject();
    return code;
  }

  static void Print(JsonText& json, const Advice& advice) {
    json.Field("verdict", NameOf(advice.verdict));
    json.Field("exit_code", static_cast<int64_t>(ExitCodeOf(advice.verdict)));
    json.Objects("reasons", advice.reasons, [&](const Reason& reason) {
      json.Field("rule", reason.rule);
      json.Field("grade", NameOf(reason.grade));
      json.ShareField("share", reason.share);
      json.Field("text", reason.text);
      json.Field("remedy", reason.remedy);
    });
    json.Object("facts", [&] {
      for (const auto& [what, text] : advice.facts) json.Field(what, text);
    });
    json.Field("next", advice.next);
    json.Field("build", advice.build.empty() && advice.verdict == Usability::kUsable
                            ? advice.next
                            : advice.build);
  }

  std::vector<std::string> files_;
  FitOptions fit_;
  std::string target_;
  std::string format_ = "text";
};

constexpr Example kAdviseExamples[] = {
    {"iprof advise app.iprof", "Say whether an image build should use it, and what to type next."},
    {"iprof advise --classpath app.jar:lib/* --jdk /usr/lib/jvm/jdk-25 app.iprof",
     "Also compare it with what the image is built from."},
    {"iprof advise --format json app.iprof", "The same for a program."},
};

}  // namespace

const CommandEntry kAdviseEntry = {
    "advise", "Say whether a profile is good enough, why not, and what to do next",
    "Weighs what is known of a profile: whether it has counts and samples enough, whether they are "
    "of "
    "the program's load or of its start-up, exact or estimated, and for which JDK. With "
    "--classpath or --jdk, "
    "it also compares the profile with class files, as 'iprof check' does. It prints a verdict, "
    "the reasons with the heaviest first, and the command to type next.\n\n"
    "Exits with 0 if the profile is usable, 1 if it is usable with doubts, 6 if it is not usable, "
    "and 3 if a "
    "file is no profile. Of several files, the worst counts.",
    kAdviseExamples, [] { return std::unique_ptr<Command>(new AdviseCommand); }};

}  // namespace iprof::cli
