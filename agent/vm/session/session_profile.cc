// The profile of a session: made from its parts, written, reported. See session.h.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <string_view>
#include <utility>

#include "agent/instrument/probes/inherited_members.h"
#include "agent/vm/jvmti/boundary.h"
#include "agent/vm/names/class_registry.h"
#include "agent/vm/session/counted_positions.h"
#include "agent/vm/session/profile_report.h"
#include "agent/vm/session/session.h"
#include "writer/base/grouped.h"
#include "writer/base/hash.h"
#include "writer/base/utc_time.h"
#include "writer/control/command.h"
#include "writer/image/finish_for_image.h"
#include "writer/image/write_for_image.h"
#include "writer/io/agent_section.h"
#include "writer/io/harvest_note.h"
#include "writer/io/snapshot_note.h"
#include "writer/raw/run_counts.h"

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
  const Result<MadeProfile> made = FinishProfile(jni, is_over);
  if (!made.ok()) {
    LogFailure(made.status());
    return {.file = made.status(), .sent = made.status()};
  }
  Written written;
  if (!place.path.empty()) {
    Result<std::string> file = WriteProfile(*made, place);
    written.file = file.status();
    if (file.ok()) written.path = std::move(*file);
  }
  if (place.sink != nullptr) written.sent = SendProfile(*made, place);
  const bool is_lost =
      (place.path.empty() || !written.file.ok()) && (place.sink == nullptr || !written.sent.ok());
  const Status& failure = written.file.ok() ? written.sent : written.file;
  if (is_lost) {
    LogFailure(failure);
    return written;
  }
  if (!failure.ok())
    log_->Error(fmt::format("one file of the profile was not written: {}", failure.message()));
  LogFindings(*made);
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

Result<Session::MadeProfile> Session::MakeProfile(JNIEnv* jni, const std::function<bool()>& is_over,
                                                  ProfileUse use) {
  MadeProfile made;
  Profile& profile = made.profile;
  profile.AddStandardTypes();
  if (counting_ != nullptr) made.counted.emplace(counting_->AddTo(jni, profile, use));
  if (made.counted)
    NoteEstimates(made.counted->added.assembly, profile, made.counted->estimated_calls);
  if (settings_.options.Harvests()) {
    if (Status status = AddHarvest(made, is_over); !status.ok()) return status;
  }
  const auto was_added = [&](InternalName owner, std::string_view name,
                             std::string_view descriptor) {
    if (owner.text() == "java/lang/Object" && instrument::IsInheritedName(name)) return true;
    return made.counted && made.counted->added.assembly.WasAdded(owner, name, descriptor);
  };
  const Result<RegistryCounts> counts =
      AddLoadedClasses(classes_, environment_.get(), jni, was_added, proxies_, profile);
  if (!counts.ok()) return counts.status();
  log_->Step(fmt::format("left out: {} hidden classes, {} other classes, {} methods",
                         counts->hidden_classes, counts->left_out_classes,
                         counts->left_out_methods));
  if (Sampling* const sampling = samples_.load()) {
    std::optional<CountedPositions> positions;
    if (made.counted) positions.emplace(made.counted->positions);
    made.samples = sampling->AddTo(jni, positions ? &*positions : nullptr, profile);
  }
  return made;
}

// Takes what the probes did not count from HotSpot's own counters. A profile without them is better than
// none, except at the end of a program that writes another one.
Status Session::AddHarvest(MadeProfile& made, const std::function<bool()>& is_over) {
  HarvestOrder order{.options = settings_.options,
                     .target_jdk = target_jdk_,
                     .most_bytes = MostHarvestBytes(settings_.options),
                     .max_lost = static_cast<double>(settings_.options.receivers_max_lost) / 100,
                     .has_ended = is_over};
  if (counting_ != nullptr)
    order.is_counted = [this](std::string_view name) { return counting_->Knows(name); };
  if (made.counted) order.to_class_file = ToClassFileBy(made.counted->positions);
  Result<std::string> added = Status(Code::kInternal, "failed in an unexpected way");
  AtBoundary(*log_, "the harvest", [&] { added = AddOwnHarvest(vm_, order, made.profile); });
  if (added.ok()) {
    made.harvest_report = std::move(*added);
  } else if (is_over && is_over()) {
    return {Code::kUsage, "the program is ending"};
  } else if (!has_warned_of_harvest_.exchange(true)) {
    log_->Warning(fmt::format("HotSpot's counters are not in the profile: this JVM {}",
                              added.status().message()));
  }
  return Status();
}

Result<Session::MadeProfile> Session::FinishProfile(JNIEnv* jni,
                                                    const std::function<bool()>& is_over,
                                                    std::optional<uint64_t> partial) {
  const RunNote before = run_.Note();
  Result<MadeProfile> whole =
      MakeProfile(jni, is_over, partial ? ProfileUse::kPartial : ProfileUse::kDump);
  if (!whole.ok()) return whole;
  Profile& profile = whole->profile;
  const Options& options = settings_.options;
  whole->unmatched = UnmatchedPatterns(profile, options);
  const ImageTarget image_target = ImageTargetForJdk(target_jdk_);
  RunNote run = DescribeRun();
  if (whole->counted) {
    AddCounts(whole->counted->added.assembly, &run);
    run.Lose("estimates", whole->counted->without_estimates);
    run.Lose("estimates_without_name", whole->counted->unnamed_estimates);
  }
  if (const auto harvest = HarvestNote::Of(profile)) harvest->AddLosses(&run);
  if (partial) {
    // It has all that was recorded by then, and some of what was recorded since.
    run.end_ms = before.end_ms;
    run.recorded_ms = before.recorded_ms;
    NotePartial(*partial, whole->counted ? &whole->counted->added.assembly : nullptr, run, profile);
  }
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

// Of a recording that goes on, it says what a profile says that is recovered from a raw file.
void Session::NotePartial(uint64_t number, const AssemblyResult* counted, RunNote& run,
                          Profile& profile) {
  SnapshotNote note{.generation = static_cast<int64_t>(number),
                    .time = UtcText(run.end_ms),
                    .recorded_ms = settings_.options.provenance ? run.recorded_ms : 0,
                    // HotSpot never rests.
                    .at_rest = counting_ != nullptr && counting_->IsAtRest(),
                    .is_partial = true};
  if (counted != nullptr) AddCounts(*counted, &note);
  if (!note.at_rest) NoteCountingGoesOn(&run);
  SetAgentPart(profile, kSnapshotPart, note.ToJson());
}

std::optional<uint64_t> Session::MarkOfRecorded(JNIEnv* jni) {
  if (settings_.options.Harvests()) return std::nullopt;
  std::optional<uint64_t> mark = 0;
  if (counting_ != nullptr) mark = counting_->MarkOf(jni);
  Sampling* const sampling = samples_.load();
  if (mark && sampling != nullptr) mark = MixHash(*mark, sampling->figures().samples);
  return mark;
}

Result<PartialOutcome> Session::WritePartialProfile(JNIEnv* jni, const PartialOrder& order) {
  std::optional<uint64_t> mark = MarkOfRecorded(jni);
  const auto is_unchanged = [&] { return !order.must_write && mark && mark == partial_mark_; };
  if (is_unchanged()) return PartialOutcome::kUnchanged;
  const Result<MadeProfile> made = FinishProfile(jni, order.is_over, order.number);
  if (!made.ok() && made.status().code() == Code::kUsage) return PartialOutcome::kNothing;
  if (!made.ok()) return made.status();
  // A file that lacks something must not replace one that has it.
  const bool has_harvest = !made->harvest_report.empty();
  if (made->counted && !made->counted->is_whole)
    return Status(Code::kLimit, "the agent's tables could not be read in time");
  if (partial_has_harvest_ && !has_harvest)
    return Status(Code::kLimit, "HotSpot's own counters could not be read");
  if (settings_.options.Harvests()) {
    mark = 0;
    for (const Table table : kAllTables)
      mark = MixHash(*mark, MixHash(made->profile.entry_count(table),
                                    static_cast<uint64_t>(made->profile.Total(table))));
  }
  if (is_unchanged()) return PartialOutcome::kUnchanged;
  const WriteOptions format{.version = settings_.options.format, .gzip = settings_.options.gzip};
  const Status written =
      WriteFileForImage(made->profile, format, order.path, Readers::kOwner).status();
  if (!written.ok()) return written;
  partial_mark_ = mark;
  partial_has_harvest_ = has_harvest;
  return PartialOutcome::kWritten;
}

std::string Session::Described(const MadeProfile& made) const {
  return DescribeProfile(made.profile, settings_.options,
                         made.counted ? &made.counted->added.assembly : nullptr);
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
  if (counting_ != nullptr) {
    const Counting::Figures counted = counting_->figures();
    note.Lose("methods_not_counted", counted.sums.methods_left_alone);
    note.Lose("refused_memory", counted.refusals);
  }
  if (Sampling* const sampling = samples_.load()) note.Lose("samples", sampling->figures().failed);
  return note;
}

void Session::LogReport(const MadeProfile& made) {
  std::string summary;
  std::string report;
  if (made.counted) {
    summary += counting_->Summary(*made.counted);
    report += counting_->Report(*made.counted);
  }
  if (hidden_ != nullptr) {
    summary += hidden_->LeftAlone();
    report += hidden_->Report();
  }
  if (Sampling* const sampling = samples_.load()) {
    const SampleTexts texts = sampling->Describe(made.samples);
    summary += texts.summary + RenewalSummary();
    report += texts.report;
  }
  summary += made.harvest_report;
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
