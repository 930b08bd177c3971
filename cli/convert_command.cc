// iprof convert: writes a profile in another form.
#include "cli/entries.h"
#include "cli/filter_options.h"
#include "cli/json_text.h"
#include "cli/option_kinds.h"
#include "cli/profile_files.h"
#include "writer/image/image_profile.h"
#include "writer/ops/convert.h"

namespace iprof::cli {
namespace {

class ConvertCommand : public Command {
 public:
  void Define(OptionList& options) override {
    AddProfile(options, "file", file_, "The profile; '-' is standard input");
    AddChoice(options, "--to", to_, {"pretty", "iprof", "csv", "collapsed"},
              "pretty: one type, method or entry a line; iprof: minified; csv: one count a line; "
              "collapsed: samples as stacks for flame graphs")
        .Required();
    options.Add("-o,--output", output_, "The output file (default: '-', standard output)")
        .Takes("FILE");
    options.AddFlag("--bci", bci_given_, "Add the bytecode index to collapsed frames: a.b.C.m:12");
    version_option_ = AddChoice(options, "--output-version", version_, {"auto", "1.0.0", "1.1.0"},
                                "Format version of pretty and iprof (default: auto, the lowest "
                                "that loses nothing)");
    options.AddFlag("--image", image_,
                    "Leave out what an image build cannot use: machinery that only a JVM runs, and "
                    "positions in methods that the image replaces");
    target_option_ = AddTarget(options, target_);
    filter_.AddTo(options);
    options.AddFlag("--gzip", gzip_, "Compress (implied by a name that ends in .gz)");
    AddFormat(options, format_).Describe("Print what was written, as JSON (needs -o FILE)");
  }

  ExitCode Run(Console& console) override {
    if (bci_given_ && to_ != "collapsed") {
      return console.Error(Status(Code::kUsage, "--bci needs --to collapsed"));
    }
    const bool profile_text = to_ == "pretty" || to_ == "iprof";
    if (version_option_.given() && !profile_text) {
      return console.Error(Status(Code::kUsage, "--output-version needs --to pretty or iprof"));
    }
    if (format_ == "json" && output_ == "-") {
      return console.Error(
          Status(Code::kUsage, "--format json and -o - would both write to standard output"));
    }
    if (target_option_.given() && !image_) {
      return console.Error(Status(Code::kUsage, "--target needs --image"));
    }
    Result<Profile> profile = ReadPart(console, file_, filter_.filter());
    if (!profile.ok()) return console.Error(profile.status());
    if (image_) {
      profile = MakeImageProfile(*profile, TargetOf(target_, ImageNote::Of(*profile))).profile;
    }
    if (to_ == "collapsed" && profile->entry_count(Table::kSamples) == 0)
      return WarnOfNoSamples(console, file_);
    const Status status = profile_text ? WriteProfileOutput(console, *profile, output_, version_,
                                                            to_ == "pretty", gzip_)
                                       : WriteText(console, *profile);
    if (!status.ok()) return console.Error(status);
    if (format_ == "json") PrintJson(console, *profile);
    return ExitCode::kOk;
  }

 private:
  Status WriteText(Console& console, const Profile& profile) const {
    return WriteOutput(console, output_, WantsGzip(gzip_, output_), [&](ByteSink& sink) {
      return to_ == "csv" ? WriteCsv(profile, sink)
                          : WriteCollapsed(profile, {.bci = bci_given_}, sink);
    });
  }

  void PrintJson(Console& console, const Profile& profile) const {
    JsonText json(console);
    json.StartObject();
    json.Field("input", file_);
    json.Field("output", output_);
    json.Field("to", to_);
    json.Field("types", profile.type_count());
    json.Field("methods", profile.method_count());
    json.Key("entries");
    json.StartObject();
    for (const Table table : kAllTables) json.Field(TableKey(table), profile.entry_count(table));
    json.EndObject();
    json.EndObject();
  }

  std::string file_;
  std::string to_;
  std::string output_ = "-";
  std::string version_ = "auto";
  OptionRow version_option_;
  bool bci_given_ = false;
  bool image_ = false;
  std::string target_;
  FilterOptions filter_;
  OptionRow target_option_;
  bool gzip_ = false;
  std::string format_ = "text";
};

constexpr Example kExamples[] = {
    {"iprof convert --to pretty app.iprof | less", "Read a profile as text."},
    {"iprof convert --to collapsed app.iprof -o app.collapsed", "Input for a flame graph."},
    {"iprof convert --to csv app.iprof -o app.csv", "Input for a spreadsheet or database."},
    {"iprof convert --to iprof --image full.iprof -o app.iprof",
     "Keep only what an image build can use of a profile that was taken with image=n."},
};

}  // namespace

const CommandEntry kConvertEntry = {
    "convert", "Convert a profile to another form",
    "Writes a profile as indented or minified iprof, as CSV with "
    "one line per count, or its samples as "
    "collapsed stacks (outermost frame first, joined by ';'). Exits with 5, and "
    "writes nothing, if it has no samples to write as stacks.",
    kExamples, [] { return std::unique_ptr<Command>(new ConvertCommand); }};

}  // namespace iprof::cli
