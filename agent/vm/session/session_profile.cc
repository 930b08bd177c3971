// The profile of a session: made by its recorders, written, reported. See session.h.
#include <fmt/core.h>

#include <algorithm>
#include <functional>
#include <string_view>
#include <utility>

#include "agent/instrument/probes/inherited_members.h"
#include "agent/vm/classes/names/class_registry.h"
#include "agent/vm/session/dump/profile_report.h"
#include "agent/vm/session/session.h"
#include "writer/base/grouped.h"
#include "writer/ops/advice.h"
#include "writer/profile/image/finish_for_image.h"
#include "writer/profile/image/write_for_image.h"
#include "writer/profile/io/agent_section.h"
#include "writer/profile/io/harvest_note.h"
#include "writer/records/raw/profile_sink.h"
#include "writer/records/raw/raw_sink.h"
#include "writer/records/raw/run_counts.h"

namespace iprof::vm {
namespace {

// For a user.
std::string SummarizeShare(const ImageProfile& made, ImageTarget target) {
  int64_t weight = 0;
  int64_t usable = 0;
  for (const Table table : kAllTables) {
    weight = SaturatingAdd(weight, made.share.Of(table).weight);
    usable = SaturatingAdd(usable, made.share.Of(table).usable_weight);
  }
  const double share = weight == 0 ? 1 : static_cast<double>(usable) / static_cast<double>(weight);
  const ImageShare::Part calls = made.share.Of(Table::kCalls);
  return fmt::format(
      "kept for an image build for JDK {}: {} of {} entries, among them those of {} of {} methods "
      "that ran, with {:.1f} % of all counts (image=n keeps everything)\n",
      JdkOf(target), Grouped(made.share.usable_entries()), Grouped(made.share.entries()),
      Grouped(calls.usable_entries), Grouped(calls.entries), 100 * share);
}

std::string DescribeShare(const ImageProfile& made, ImageTarget target) {
  std::string text = fmt::format(
      "image build for JDK {}: {} of {} entries kept, {} contexts cut, {} methods left out\n",
      JdkOf(target), made.share.usable_entries(), made.share.entries(), made.contexts_cut,
      made.methods_left_out);
  for (const Table table : kAllTables) {
    const ImageShare::Part part = made.share.Of(table);
    if (part.entries == 0) continue;
    text += fmt::format("  {}: {} of {} entries, {} of {} counts\n", TableKey(table),
                        part.usable_entries, part.entries, part.usable_weight, part.weight);
  }
  return text;
}

}  // namespace

Session::Written Session::DumpTo(JNIEnv* jni, const ProfilePlace& place,
                                 const std::function<bool()>& is_over) {
  const Result<std::unique_ptr<MadeProfile>> made = FinishProfile(jni, is_over);
  if (!made.ok()) {
    LogFailure(made.status());
    return {.file = made.status(), .sent = made.status()};
  }
  Written written;
  if (!place.path.empty()) {
    Result<std::string> file = WriteProfile(**made, place);
    written.file = file.status();
    if (file.ok()) written.path = std::move(*file);
  }
  if (place.sink != nullptr) written.sent = SendProfile(**made, place);
  const bool is_lost =
      (place.path.empty() || !written.file.ok()) && (place.sink == nullptr || !written.sent.ok());
  const Status& failure = written.file.ok() ? written.sent : written.file;
  if (is_lost) {
    LogFailure(failure);
    return written;
  }
  if (!failure.ok())
    log_->Error(fmt::format("one file of the profile was not written: {}", failure.message()));
  LogFindings(**made);
  return written;
}

void Session::LogFailure(const Status& why) {
  const std::string line = fmt::format("no profile was written: {}", why.message());
  if (why.code() == Code::kNothingYet) {  // a tool has gone away, and its user knows
    log_->Step(line);
  } else if (why.code() == Code::kUsage) {
    log_->Warning(line);
  } else {
    log_->Error(line);
  }
}

Status Session::MakeProfile(JNIEnv* jni, const std::function<bool()>& is_over, MadeProfile& made) {
  Profile& profile = made.profile;
  profile.AddStandardTypes();
  ProfileSink& sink = made.sink.emplace(profile);
  uint64_t written = 0;
  const auto note_progress = [&] {
    steps_.At(control::Step::kProfile, written, recorders().size());
  };
  // A recorder that takes long may ask again and again.
  const auto is_given_up = [&] {
    note_progress();
    return is_over && is_over();
  };
  for (const auto& recorder : recorders()) {
    if (Status status = recorder->Write(jni, sink, is_given_up); !status.ok()) return status;
    ++written;
    note_progress();
  }
  const auto was_added = [&](InternalName owner, std::string_view name,
                             std::string_view descriptor) {
    if (owner.text() == "java/lang/Object" && instrument::IsInheritedName(name)) return true;
    return sink.counted() != nullptr && sink.counted()->WasAdded(owner, name, descriptor);
  };
  const Result<RegistryCounts> counts =
      AddLoadedClasses(classes_, environment_.get(), jni, was_added, proxies_, profile);
  if (!counts.ok()) return counts.status();
  log_->Step(fmt::format("left out: {} hidden classes, {} other classes, {} methods",
                         counts->hidden_classes, counts->left_out_classes,
                         counts->left_out_methods));
  return {};
}

Result<std::unique_ptr<Session::MadeProfile>> Session::FinishProfile(
    JNIEnv* jni, const std::function<bool()>& is_over) {
  auto whole = std::make_unique<MadeProfile>();
  if (Status status = MakeProfile(jni, is_over, *whole); !status.ok()) return status;
  Profile& profile = whole->profile;
  const Options& options = settings_.options;
  whole->unmatched = UnmatchedPatterns(profile, options);
  const ImageTarget image_target = ImageTargetForJdk(target_jdk_);
  RunNote run = DescribeRun();
  if (const AssemblyResult* const counted = whole->sink->counted()) AddCounts(*counted, &run);
  if (const auto harvest = HarvestNote::Of(profile)) harvest->AddLosses(&run);
  NoteProvenance(options, run, profile);
  ImageProfile image = FinishForImage(std::move(profile), image_target, options.image);
  if (options.image) {
    whole->image_summary = SummarizeShare(image, image_target);
    whole->image_report = DescribeShare(image, image_target);
  }
  profile = std::move(image.profile);
  if (Status status = FindNothing(profile, options, whole->unmatched); !status.ok()) return status;
  return whole;
}

std::string Session::Described(const MadeProfile& made) const {
  return DescribeProfile(made.profile, settings_.options, made.sink->counted()) + "; " +
         AdviseOn(made.profile, AdviceContext()).Line();
}

Result<std::string> Session::WriteProfile(const MadeProfile& made, const ProfilePlace& place) {
  const Result<DumpedFile> file = files_.Write(made.profile, place.path, place.owner);
  if (!file.ok()) return file.status();
  if (!file->not_replaced.ok()) {
    log_->Warning(
        fmt::format("{}; the profile is written beside it", file->not_replaced.message()));
  }
  const std::string later =
      file->added_to.empty() ? "" : fmt::format(" (to be added to {} at the end)", file->added_to);
  log_->Result(fmt::format("wrote {}{}: {}", file->path, later, Described(made)));
  return file->path;
}

Status Session::SendProfile(const MadeProfile& made, const ProfilePlace& place) {
  const WriteOptions format{.version = settings_.options.format, .gzip = place.gzip};
  // It also finishes the sink.
  Status sent = WriteForImage(made.profile, format, *place.sink).status();
  if (sent.ok()) log_->Statistics("wrote a profile for the tool: " + Described(made));
  return sent;
}

void Session::LogFindings(const MadeProfile& made) {
  for (const std::string& line : FindMissing(made.profile, settings_.options, made.unmatched))
    log_->Warning(line);
  if (log_->Shows(LogLevel::kStatistics)) LogReport(made);
}

RunNote Session::DescribeRun() const {
  RunNote note = run_.Note();
  for (const auto& recorder : recorders()) recorder->AddLosses(note);
  return note;
}

void Session::DescribeRun(RawSink& sink) const {
  const RunNote run = DescribeRun();
  sink.SetRun(RunId::Parse(run.run));
  if (!settings_.options.provenance) return;
  RunList runs;
  runs.Add(run);
  sink.SetPart(kProvenancePart, runs.ToJson());
}

void Session::LogReport(const MadeProfile& made) {
  RecorderTexts texts;
  std::string& summary = texts.summary;
  std::string& report = texts.report;
  // What is said of hidden classes follows what is said of the probes. They are the first recorder if there are any.
  auto next = recorders().begin();
  if (made.sink->counted() != nullptr) (*next++)->Describe(*made.sink, texts);
  if (hidden_ != nullptr) {
    summary += hidden_->LeftAlone();
    report += hidden_->Report();
  }
  for (; next != recorders().end(); ++next) (*next)->Describe(*made.sink, texts);
  summary += made.image_summary;
  report += budget_.Report();
  report += made.image_report;
  for (const std::string_view line : SplitAt(summary, "\n")) {
    if (!line.empty()) log_->Statistics(line);
  }
  for (const std::string_view line : SplitAt(report, "\n")) {
    if (!line.empty()) log_->Step(line);
  }
}

}  // namespace iprof::vm
