// iprof report: a profile, or a comparison of two, as one HTML file.
#include <fmt/core.h>

#include <filesystem>
#include <optional>
#include <string_view>

#include "cli/files/class_notes.h"
#include "cli/files/file_entries.h"
#include "cli/files/filter_options.h"
#include "cli/files/fit_check.h"
#include "cli/files/profile_files.h"
#include "cli/files/profile_names.h"
#include "cli/files/replaced_inputs.h"
#include "cli/terminal/json_text.h"
#include "cli/terminal/option_kinds.h"
#include "cli/terminal/terminal_text.h"
#include "cli/views/report/class_listings.h"
#include "cli/views/report/report_data.h"
#include "cli/views/report/report_page.h"
#include "cli/views/report/source_texts.h"
#include "writer/profile/sample_threads.h"

namespace iprof::cli {
namespace {

constexpr size_t kBytesOfMb = 1'000'000;
constexpr size_t kMostMb = 1000;

class ReportCommand : public Command {
 public:
  void Define(OptionList& options) override {
    AddProfile(options, "file", file_, "The profile; with --diff, the old one");
    options.Add("new", new_file_, "With --diff: the new profile").Takes("FILE");
    options
        .Add("-o,--output", output_,
             "The HTML file (default: app.html beside app.iprof, and with --diff app-changes.html "
             "beside the new profile, if there is no such "
             "file yet)")
        .Takes("FILE");
    options.AddFlag("--diff", diff_, "Compare two profiles");
    class_files_.AddTo(options);
    options
        .Add("--sources", sources_,
             "Source files to show: a folder, or a jar such as app-sources.jar or a JDK's src.zip "
             "(repeatable)")
        .Takes("FILE")
        .OneValueEach();
    filter_.AddTo(options);
    AddCount(options, "--max-mb", max_mb_,
             "Cut the page to about N MB, without sources; the least important is left out, and "
             "the page says what (default: 3)");
    AddFormat(options, format_).Describe("Print what was written, as JSON (needs -o FILE)");
  }

  ExitCode Run(Console& console) override {
    if (const std::string problem = FindProblem(); !problem.empty())
      return console.Error(Status(Code::kUsage, problem));
    if (output_.empty()) {
      Result<std::string> beside =
          OutputBeside(diff_ ? new_file_ : file_, diff_ ? "-changes.html" : ".html", "page");
      if (!beside.ok()) return console.Error(beside.status());
      output_ = std::move(*beside);
    }
    if (Status status = CheckIsNoRawFile(output_); !status.ok()) return console.Error(status);
    std::vector<Profile> profiles;
    std::vector<std::string> files = {file_};
    if (diff_) files.push_back(new_file_);
    std::vector<std::string> inputs = files;
    inputs.push_back(class_files_.classes());
    inputs.insert(inputs.end(), sources_.begin(), sources_.end());
    if (Status status = CheckReplacesNone(output_, inputs, "page"); !status.ok())
      return console.Error(status);
    for (const std::string& file : files) {
      Result<Profile> read =
          ReadInput(console, file, diff_ ? SampleLabels::kNone : SampleLabels::kThreadsAndPeriods);
      if (!read.ok()) return console.Error(read.status());
      Profile profile = PartOf(console, file, std::move(*read), filter_.filter());
      if (Status status = class_files_.AddNotes(console, profile); !status.ok())
        return console.Error(status);
      if (ThreadFrames(profile).any()) {
        profiles.push_back(SamplesOfThreads(profile, [](std::string_view) { return true; }));
        labelled_ = std::move(profile);
      } else {
        profiles.push_back(std::move(profile));
      }
    }
    const Status status = Write(console, profiles, files);
    if (!status.ok()) return console.Error(status);
    if (format_ == "text" && output_ != "-")
      console.Print("wrote {}: open it in a browser\n", EscapeForTerminal(output_));
    return ExitCode::kOk;
  }

 private:
  std::string FindProblem() const {
    if (diff_ && new_file_.empty()) return "--diff needs two profiles, the old and the new one";
    if (!diff_ && (new_file_.ends_with(".html") || new_file_.ends_with(".htm")))
      return fmt::format("the name of the page follows -o: iprof report {} -o {}", file_,
                         new_file_);
    if (!diff_ && !new_file_.empty())
      return fmt::format("two profiles need --diff: iprof report --diff {} {}", file_, new_file_);
    if (diff_ && file_ == "-" && new_file_ == "-")
      return "standard input ('-') can be read only once";
    if (!sources_.empty() && !class_files_.given())
      return "--sources needs --classes or --jdk, which have the line numbers";
    if (max_mb_ == 0 || max_mb_ > kMostMb)
      return fmt::format("--max-mb is a number from 1 to {}", kMostMb);
    if (format_ == "json" && output_ == "-")
      return "--format json and -o - would both write to standard output";
    return {};
  }

  Status Write(Console& console, const std::vector<Profile>& profiles,
               const std::vector<std::string>& files) const {
    const Result<classpath::ClassPath> classes = class_files_.Open(profiles.back());
    if (!classes.ok()) return classes.status();
    report::SourceTexts sources;
    for (const std::string& place : sources_) {
      if (Status status = sources.Add(place); !status.ok()) return status;
    }
    report::ClassListings listings(
        [&](std::string_view name) -> std::optional<std::vector<uint8_t>> {
          Result<std::optional<classpath::FoundClass>> found = classes->Find(name);
          if (!found.ok()) {
            console.Warn(found.status().message());
            return std::nullopt;
          }
          if (!*found) return std::nullopt;
          return std::move((*found)->bytes);
        },
        sources.empty() ? nullptr : &sources);
    std::vector<ReportInput> inputs;
    for (size_t p = 0; p < profiles.size(); ++p) {
      // Not the folder: it describes the machine, and the page may be passed on.
      inputs.push_back({std::filesystem::path(NameOfInput(files[p])).filename().string(),
                        &profiles[p], labelled_ ? &*labelled_ : nullptr});
    }
    ReportOptions options;
    options.tool = "iprof " IPROF_VERSION;
    options.most_bytes = max_mb_ * kBytesOfMb - report::EmptyPageBytes();
    if (class_files_.given()) {
      options.listings = &listings;
      const Result<FitResult> fit =
          CheckFit(profiles.back(), {class_files_.classes(), class_files_.jdk(), std::nullopt});
      if (!fit.ok()) return fit.status();
      for (const auto& [package, share] : fit->fitness.packages)
        options.fits.push_back({package, share.weight, share.relevant, share.applicable});
    }
    const std::string data = WriteReportData(inputs, options);
    const Status status = WriteOutput(console, output_, false, [&](ByteSink& sink) {
      return report::WriteReportPage(data, sink);
    });
    if (status.ok() && format_ == "json") PrintJson(console, files, data.size());
    return status;
  }

  void PrintJson(Console& console, const std::vector<std::string>& files, size_t bytes) const {
    JsonText json(console);
    json.StartObject();
    json.Texts("inputs", files);
    json.Field("output", output_);
    json.Field("bytes", report::EmptyPageBytes() + bytes);
    json.EndObject();
  }

  std::string file_;
  std::string new_file_;
  std::string output_;
  bool diff_ = false;
  ClassFileOptions class_files_;
  std::vector<std::string> sources_;
  std::optional<Profile> labelled_;
  FilterOptions filter_;
  size_t max_mb_ = 3;
  std::string format_ = "text";
};

constexpr Example kReportExamples[] = {
    {"iprof report app.iprof", "One page, app.html, to open in a browser."},
    {"iprof report app.iprof -o report.html --classes app.jar --sources src/main/java",
     "With bytecode and source lines."},
    {"iprof report --app app.iprof -o report.html", "Only the program's own code."},
    {"iprof report --diff old.iprof new.iprof -o changes.html",
     "What changed, with a differential flame graph."},
};

}  // namespace

const CommandEntry kReportEntry = {
    "report", "Write an HTML page to look at a profile, or at the changes between two",
    "Writes one HTML file that needs nothing else: an overview of the run, a flame graph of the "
    "samples, the hot methods, and a page for each method with its branches, receivers, callers "
    "and callees. Open it in a browser; it loads nothing from the network. Without -o, the page is "
    "beside the profile, and an existing "
    "file is not replaced.\n\nWith --classes it "
    "also shows the bytecode of the most important methods with the counts of each block, and "
    "with --sources their source lines. With --diff it compares shares of two profiles.",
    kReportExamples, [] { return std::unique_ptr<Command>(new ReportCommand); }};

}  // namespace iprof::cli
