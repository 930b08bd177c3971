#include "writer/records/raw/raw_profile.h"

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "writer/base/utc_time.h"
#include "writer/names/type_names.h"
#include "writer/profile/image/finish_for_image.h"
#include "writer/profile/io/agent_section.h"
#include "writer/profile/io/harvest_note.h"
#include "writer/profile/io/run_note.h"
#include "writer/records/class_record_bytes.h"
#include "writer/records/declared_class.h"
#include "writer/records/raw/profile_sink.h"
#include "writer/records/raw/raw_counts.h"
#include "writer/records/raw/raw_harvest.h"
#include "writer/records/raw/raw_records.h"
#include "writer/records/raw/run_counts.h"

namespace iprof {
namespace {

// Greater than the number of any counter or site in a JVM. (The counters of a file end at the last one that is not zero, and
// loaded classes own some that follow.)
constexpr uint32_t kFirstUnloaded = uint32_t{1} << 31;

// The classes of the file in the order that the assembly expects. The counts of unloaded ones follow
// after all others.
class FileClasses final : public ClassSource {
 public:
  explicit FileClasses(const RawContents& contents)
      : counters_(contents.counters), damaged_(contents.damaged_counters) {
    types_.AddAll(contents.types);
    for (const RawClass& klass : contents.classes) classes_.push_back({&klass, 0, 0});
    std::stable_sort(classes_.begin(), classes_.end(), [](const Class& a, const Class& b) {
      return std::tie(a.type->name, a.type->hash.high, a.type->hash.low) <
             std::tie(b.type->name, b.type->hash.high, b.type->hash.low);
    });
    size_t counters = 0;
    for (const Class& klass : classes_) {
      if (klass.type->unloaded) counters += BoundedReader(klass.type->counts).GetCount(2);
    }
    more_counters_.reserve(counters);
    for (Class& klass : classes_) {
      if (klass.type->unloaded) AddUnloaded(&klass);
    }
  }

  size_t size() const override { return classes_.size(); }
  std::string_view NameOf(size_t number) const override { return classes_[number].type->name; }
  const ClassRecord& Get(size_t number, ClassRecord& scratch) const override {
    Decode(classes_[number], &scratch);
    if (!damaged_.empty() && !classes_[number].type->unloaded) LeaveOutDamaged(&scratch);
    return scratch;
  }

  std::span<const uint64_t> counters() const { return counters_; }
  std::span<const NumberedCounter> more_counters() const { return more_counters_; }
  const TypeCounts& types() const { return types_; }

 private:
  struct Class {
    const RawClass* type;
    uint32_t first_counter;  // of an unloaded class
    uint32_t first_site;
  };

  // Adds the counts of an unloaded class, as far as the class can use them.
  class Adding {
   public:
    Adding(const Class& klass, FileClasses* into)
        : first_counter_(klass.first_counter),
          first_site_(klass.first_site),
          most_(4 * uint64_t{klass.type->record.size()}),
          into_(*into) {
      ClassRecord record;
      Decode(klass, &record);
      uint64_t counters = 0;
      uint64_t sites = 0;
      for (const CountedMethod& method : record.methods) {
        counters += method.counters;
        sites += method.sites;
      }
      // The class's last counters may be zero; they must not be those of the next class.
      counters_end_ = first_counter_ + std::min(counters, most_);
      sites_end_ = first_site_ + static_cast<uint32_t>(std::min(sites, most_));
      for (const ClassSite& site : record.sites) sites_.push_back(site.number);
      std::sort(sites_.begin(), sites_.end());
    }

    void Counter(uint32_t number, uint64_t count) {
      const uint64_t place = first_counter_ + number;
      if (number >= most_ || place > UINT32_MAX) return;
      counters_end_ = std::max(counters_end_, place + 1);
      if (count > 0) into_.more_counters_.push_back({static_cast<uint32_t>(place), count});
    }
    void Site(uint32_t number, uint64_t lost) {
      if (number >= most_) return;
      const uint32_t site = first_site_ + number;
      sites_end_ = std::max(sites_end_, site + 1);
      if (lost > 0 && IsUsed(site)) into_.types_.AddLost(site, lost);
    }
    void Type(uint32_t number, std::string_view name, uint64_t count) {
      if (number >= most_) return;
      const uint32_t site = first_site_ + number;
      if (IsUsed(site)) into_.types_.Add(site, name, count);
    }

    uint64_t counters_end() const { return counters_end_; }
    uint32_t sites_end() const { return sites_end_; }

   private:
    // Otherwise a site takes far more memory than bytes of the file.
    bool IsUsed(uint32_t site) const {
      return std::binary_search(sites_.begin(), sites_.end(), site);
    }

    const uint64_t first_counter_;
    const uint32_t first_site_;
    const uint64_t most_;  // more than any class has: each counter takes some bytes of its record
    FileClasses& into_;
    std::vector<uint32_t> sites_;  // those of the class's methods
    uint64_t counters_end_ = 0;
    uint32_t sites_end_ = 0;
  };

  void AddUnloaded(Class* klass) {
    klass->first_counter = static_cast<uint32_t>(next_counter_);
    klass->first_site = next_site_;
    Adding adding(*klass, this);
    BoundedReader in(klass->type->counts);
    ReadRawCounts(&in, &adding);
    next_counter_ = adding.counters_end();
    next_site_ = adding.sites_end();
  }

  static void Decode(const Class& klass, ClassRecord* record) {
    size_t consumed = 0;
    static_cast<void>(DecodeClassRecord(klass.type->record, record, &consumed));
    if (klass.type->unloaded) Renumber(klass, record);
  }

  // Gives the class the numbers of counters and sites that follow after all others. Within the class
  // they follow each other in the order of its methods, as when its counts were taken.
  static void Renumber(const Class& klass, ClassRecord* record) {
    uint32_t counter = klass.first_counter;
    uint32_t site = klass.first_site;
    for (CountedMethod& method : record->methods) {
      method.first = CounterIndex{counter};
      counter += method.counters;
    }
    std::vector<uint32_t> moved(record->methods.size());
    for (size_t m = 0; m < record->methods.size(); ++m) {
      CountedMethod& method = record->methods[m];
      moved[m] = site - method.first_site;
      method.first_site = site;
      site += method.sites;
    }
    for (ClassSite& place : record->sites) place.number += moved[place.method];
  }

  // If some counters of a method are damaged, the others would give wrong shares. So it gets counters that are all zero:
  // the last numbers before those of unloaded classes.
  void LeaveOutDamaged(ClassRecord* record) const {
    for (CountedMethod& method : record->methods) {
      const uint64_t first = static_cast<uint32_t>(method.first);
      const auto next = std::upper_bound(
          damaged_.begin(), damaged_.end(), first,
          [](uint64_t number, const auto& range) { return number < range.second; });
      const bool is_damaged = next != damaged_.end() && next->first < first + method.counters;
      if (is_damaged && method.counters < kFirstUnloaded)
        method.first = CounterIndex{kFirstUnloaded - method.counters};
    }
  }

  std::vector<Class> classes_;
  const std::span<const uint64_t> counters_;
  const RawRanges& damaged_;
  std::vector<NumberedCounter> more_counters_;
  uint64_t next_counter_ = kFirstUnloaded;
  TypeCounts types_;
  uint32_t next_site_ = kFirstUnloaded;
};

void AddDeclared(const RawContents& contents, const AssemblyResult& assembly, Profile& profile) {
  std::vector<const RawType*> sorted;
  for (const RawType& type : contents.declared) sorted.push_back(&type);
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const RawType* a, const RawType* b) { return a->name < b->name; });
  for (const RawType* type : sorted) {
    RawTypeMethods all(*type);
    std::span<const RawTypeMethods::Method> methods;
    do {
      methods = all.Next();
      AddDeclaredClass(
          {InternalName(type->owner), type->name, methods},
          [&](InternalName owner, std::string_view name, std::string_view descriptor) {
            return assembly.WasAdded(owner, name, descriptor);
          },
          profile);
    } while (!methods.empty());
  }
}

bool IsWithoutHarvest(const RawContents& contents) {
  return contents.header.harvests && contents.harvest.empty();
}

// Of a file that lacks HotSpot's own counters: its profile has neither them nor their tables.
void LeaveOutHotSpots(RunNote* run) {
  if (run->source == kBothSources) run->source = kExactSource;
  if (run->source != kMethodDataSource) return;
  const bool has_samples = ("+" + run->tables + "+").find("+samples+") != std::string::npos;
  run->tables = has_samples ? "samples" : "";
  run->source.clear();
  run->exactness.reset();
}

// The part "provenance" with what is only known now: how exact the counts are. A recording that goes on ends with the
// snapshot; one that was stopped before says when. Empty if the part cannot be read.
std::string CompletedRuns(const RawContents& contents, const AssemblyResult& assembly,
                          const Profile& profile, std::string_view json) {
  RunList given;
  if (!given.AddJson(json)) return {};
  const auto harvest = HarvestNote::Of(profile);
  RunList runs;
  for (RunNote run : given.Runs()) {
    AddCounts(assembly, &run);
    if (!contents.at_rest) NoteCountingGoesOn(&run);
    if (IsWithoutHarvest(contents)) LeaveOutHotSpots(&run);
    if (run.source == kMethodDataSource) run.exactness.reset();
    if (harvest) harvest->AddLosses(&run);
    if (run.end_ms == 0) run.end_ms = contents.time_ns / 1'000'000;
    if (run.start_ms > 0 && run.recorded_ms == 0 && run.end_ms > run.start_ms)
      run.recorded_ms = run.end_ms - run.start_ms;
    runs.Add(run);
  }
  return runs.ToJson();
}

// Adds what the agent said of the recording. Other tools must be able to read the section, even if the
// file is damaged.
void AddParts(const RawContents& contents, const AssemblyResult& assembly, Profile& profile) {
  AgentSection section = AgentSection::Of(profile);
  for (const auto& [name, json] : contents.parts) {
    if (name != kHarvestPart && name != kContextSamplesPart && AgentSection::CanBePart(name, json))
      section.SetPart(name, json);
  }
  if (const auto json = section.Part(kProvenancePart)) {
    const std::string runs = CompletedRuns(contents, assembly, profile, *json);
    if (runs.empty()) {
      section.RemovePart(kProvenancePart);
    } else {
      section.SetPart(kProvenancePart, runs);
    }
  } else {
    profile.ForgetCodeHashes();  // the user wants neither
    profile.ForgetFirstCalls();
  }
  // These are made of the profile.
  section.RemovePart(kCodePart);
  section.RemovePart(kLinesPart);
  section.RemovePart(kPositionsPart);
  if (!section.parts().empty()) profile.SetExtra(kAgentKey, section.ToJson());
}

// The methods and stacks, with the source lines of their frames.
void AddStacks(const RawContents& contents, ProfileSink& sink) {
  for (size_t number = 0; number < contents.methods.size(); ++number)
    sink.AddMethod(static_cast<uint32_t>(number), contents.methods[number]);
  std::vector<uint64_t> weights;
  for (const RawStack& stack : contents.stacks) {
    sink.AddStack(static_cast<uint32_t>(weights.size()), stack.frames, stack.cut);
    weights.push_back(stack.weight);
  }
  sink.SetWeights(weights);
}

void AddProbeCounts(const RawContents& contents, ProfileSink& sink) {
  const FileClasses classes(contents);
  std::vector<std::pair<std::string_view, uint64_t>> live_frames(contents.live_frames.begin(),
                                                                 contents.live_frames.end());
  sink.SetProbeCounts({.classes = &classes,
                       .types = &classes.types(),
                       .counters = classes.counters(),
                       .more_counters = classes.more_counters(),
                       .live_frames = live_frames,
                       .options = contents.header.assembly,
                       .estimated = contents.estimated,
                       .first_seen = contents.first_seen.by_counter()});
}

void AddHarvest(const RawContents& contents, ProfileSink& sink) {
  const auto harvest = ReadRawHarvest(contents.harvest);
  if (!harvest) return;
  sink.AddHarvest(*harvest, harvest->counters(), harvest->types(), harvest->options());
  const auto note = contents.parts.find(std::string(kHarvestPart));
  if (note != contents.parts.end() && HarvestNote::Parse(note->second))
    sink.SetPart(kHarvestPart, note->second);
}

SnapshotNote NoteOf(const RawContents& contents, const AssemblyResult& assembly,
                    const Profile& profile) {
  SnapshotNote note;
  note.generation = NumberInNote(contents.generation);
  note.time = UtcText(contents.time_ns / 1'000'000);
  for (const RunNote& run : RunList::Of(profile).Runs())
    note.recorded_ms = SaturatingAdd(note.recorded_ms, std::max<int64_t>(run.recorded_ms, 0));
  note.at_rest = contents.at_rest;
  AddCounts(assembly, &note);
  const RawLosses& losses = contents.losses;
  note.lost_classes = NumberInNote(losses.classes);
  for (const uint64_t lost :
       {losses.unloaded, losses.counters, losses.pairs, losses.stacks, contents.doubtful_pairs})
    note.lost_counts += NumberInNote(lost);
  note.lost_notes = NumberInNote(losses.parts);
  note.lost_other = NumberInNote(losses.types) + note.lost_notes;
  note.damaged_records =
      NumberInNote(contents.damaged_records) + NumberInNote(contents.damaged_pages);
  note.newer_damaged = contents.newer_is_damaged ? 1 : 0;
  note.without_harvest = IsWithoutHarvest(contents);
  return note;
}

}  // namespace

RawProfile MakeRawProfile(const RawContents& contents) {
  RawProfile made;
  Profile profile;
  profile.AddStandardTypes();
  ProfileSink sink(profile);
  std::optional<ContextSamples> contexts;
  if (const auto part = contents.parts.find(std::string(kContextSamplesPart));
      part != contents.parts.end())
    contexts = DecodeContextSamples(part->second);
  if (contexts) sink.SetContexts(*contexts);
  AddProbeCounts(contents, sink);
  AddHarvest(contents, sink);
  made.assembly = *sink.counted();
  AddDeclared(contents, made.assembly, profile);
  AddParts(contents, made.assembly, profile);
  AddStacks(contents, sink);
  made.note = NoteOf(contents, made.assembly, profile);
  made.run = contents.run;
  SetAgentPart(profile, kSnapshotPart, made.note.ToJson());
  made.profile =
      std::move(FinishForImage(std::move(profile), ImageTargetForJdk(contents.header.target_jdk),
                               contents.header.image)
                    .profile);
  return made;
}

}  // namespace iprof
