#include "agent/hotspot/harvest/harvest_profile.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "writer/methods/method_record.h"
#include "writer/names/benchmark_harness.h"
#include "writer/names/type_names.h"

namespace iprof::hotspot {
namespace {

// Methods without bytecode, which the agent cannot count either.
constexpr uint16_t kAccNative = 0x0100;
constexpr uint16_t kAccAbstract = 0x0400;

// What was counted is never scaled to nothing.
uint64_t Scaled(uint64_t count, double factor) {
  constexpr auto kMost = static_cast<double>(uint64_t{1} << 62);
  if (count == 0) return 0;
  const double scaled = static_cast<double>(count) * factor;
  if (!(scaled > 1)) return 1;
  return scaled >= kMost ? uint64_t{1} << 62 : static_cast<uint64_t>(std::llround(scaled));
}

class ProfileMaker {
 public:
  ProfileMaker(const HarvestedProgram& program, std::span<const MethodScale> scales,
               const HarvestParts& parts)
      : program_(program), scales_(scales), parts_(parts), type_names_(program.classes.size()) {}

  AssemblyResult Write(Profile& profile) {
    std::vector<ClassRecord> records;
    for (const HarvestedClass& klass : program_.classes) {
      if (klass.stable_name.empty() || klass.is_array || klass.is_previous_version) continue;
      if (IsBenchmarkHarness(InternalName(klass.stable_name))) continue;
      if (parts_.takes && !parts_.takes(klass)) continue;
      ClassRecord record = MakeRecord(klass);
      if (!record.methods.empty()) records.push_back(std::move(record));
    }
    std::vector<const ClassRecord*> pointers;
    for (const ClassRecord& record : records) pointers.push_back(&record);
    const RecordedClasses classes(std::move(pointers));
    const LiveFrameCount no_frames = [](const MethodKey&) { return uint64_t{0}; };
    return AssembleProfile(classes,
                           {.counters = counters_, .types = types_, .live_frames = no_frames},
                           {.calls = parts_.calls,
                            .branches = parts_.branches,
                            .monitors = false,
                            .max_lost = parts_.max_lost},
                           profile);
  }

 private:
  ClassRecord MakeRecord(const HarvestedClass& klass) {
    ClassRecord record;
    record.name = record.Keep(klass.stable_name);
    record.access = klass.access;
    for (uint32_t m = klass.first_method; m < klass.first_method + klass.methods; ++m) {
      const HarvestedMethod& method = program_.methods[m];
      if ((method.access & (kAccNative | kAccAbstract)) != 0) continue;
      if (scales_[m].calls > 0 || (method.has_data && !klass.is_superseded)) AddMethod(m, record);
    }
    return record;
  }

  void AddMethod(uint32_t number, ClassRecord& record) {
    const HarvestedMethod& from = program_.methods[number];
    const double factor = scales_[number].factor;
    CountedMethod method;
    method.name = record.Keep(from.name);
    method.descriptor = record.Keep(from.descriptor);
    method.access = from.access;
    method.code_hash = from.code_hash;
    method.first = CounterIndex{static_cast<uint32_t>(counters_.size())};
    method.record = static_cast<uint32_t>(record.records.size());
    method.first_site = next_site_;
    const auto index = static_cast<uint32_t>(record.methods.size());

    MethodRecord& encoded = record_;
    encoded.Clear();
    counters_.push_back(scales_[number].calls);
    uint32_t value = 1;
    for (const HarvestedBranch& branch : from.branches) {
      for (size_t s = 0; s < branch.targets.size(); ++s) {
        encoded.successors.push_back({branch.targets[s], value++});
        counters_.push_back(Scaled(branch.counts[s], factor));
      }
      encoded.branches.push_back({branch.bci,
                                  branch.is_switch ? BranchKind::kSwitch : BranchKind::kIf,
                                  static_cast<uint32_t>(encoded.successors.size())});
    }
    encoded.derivation.counter_count = value;
    method.counters = value;
    EncodeMethodRecord(encoded, &record.records);
    for (const HarvestedTypes& types : from.types) {
      if (!from.has_probes && types.is_lost_known && Takes(types))
        AddSite(types, index, factor, record);
    }
    method.sites = next_site_ - method.first_site;
    record.methods.push_back(method);
  }

  bool Takes(const HarvestedTypes& types) const {
    return types.is_call ? parts_.receivers : parts_.type_checks;
  }

  void AddSite(const HarvestedTypes& types, uint32_t method, double factor, ClassRecord& record) {
    const uint32_t site = next_site_++;
    uint64_t lost = types.lost;
    for (const auto& [klass, count] : types.rows) {
      const std::string_view name = TypeName(klass);
      if (name.empty()) {
        lost += count;
      } else {
        types_.Add(site, name, Scaled(count, factor));
      }
    }
    if (lost > 0) types_.AddLost(site, Scaled(lost, factor));
    record.sites.push_back(
        {method, types.bci, site, types.is_call ? SiteKind::kReceiver : SiteKind::kInstanceOf});
  }

  // The name that the class has in a profile, or an empty text.
  std::string_view TypeName(uint32_t number) {
    std::optional<std::string>& name = type_names_[number];
    if (!name) name = MakeTypeName(program_.classes[number]);
    return *name;
  }

  std::string MakeTypeName(const HarvestedClass& klass) {
    if (klass.stable_name.empty()) return {};
    descriptor_ = klass.is_array ? "" : "L";
    descriptor_ += klass.stable_name;
    if (!klass.is_array) descriptor_ += ';';
    std::string name;
    if (!WriteTypeName(Descriptor(descriptor_), &name)) name.clear();
    return name;
  }

  const HarvestedProgram& program_;
  const std::span<const MethodScale> scales_;
  const HarvestParts& parts_;
  std::vector<uint64_t> counters_;
  TypeCounts types_;
  MethodRecord record_;  // of the method that is added
  uint32_t next_site_ = 0;
  std::string descriptor_;
  std::vector<std::optional<std::string>> type_names_;  // by class
};

}  // namespace

std::vector<MethodScale> RawScales(const HarvestedProgram& program) {
  std::vector<MethodScale> scales(program.methods.size());
  for (size_t m = 0; m < scales.size(); ++m) scales[m].calls = program.methods[m].invocations;
  return scales;
}

AssemblyResult WriteHarvest(const HarvestedProgram& program, std::span<const MethodScale> scales,
                            const HarvestParts& parts, Profile& profile) {
  return ProfileMaker(program, scales, parts).Write(profile);
}

}  // namespace iprof::hotspot
