#include "agent/harvest/harvest_profile.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "writer/names/benchmark_harness.h"
#include "writer/names/type_names.h"
#include "writer/profile/image/image_use.h"
#include "writer/records/method_record.h"

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

// The classes with their records, which need not be encoded: each branch has its counters in the order of
// its successors, after the counter of calls, unless only calls are written. CountedMethod::record is the
// method's number in the program.
class HarvestedClasses final : public ClassSource {
 public:
  HarvestedClasses(const HarvestedProgram& program, const std::vector<ClassRecord>& records)
      : program_(program), records_(PointersTo(records)) {}

  size_t size() const override { return records_.size(); }
  std::string_view NameOf(size_t number) const override { return records_.NameOf(number); }
  const ClassRecord& Get(size_t number, ClassRecord& scratch) const override {
    return records_.Get(number, scratch);
  }
  bool GetRecord(const ClassRecord& /*klass*/, const CountedMethod& method,
                 MethodRecord* record) const override {
    record->Clear();
    ValueId value = 1;
    std::span<const HarvestedBranch> branches = program_.methods[method.record].branches;
    if (method.counters == 1) branches = {};
    for (const HarvestedBranch& branch : branches) {
      for (const uint32_t target : branch.targets) record->successors.push_back({target, value++});
      record->branches.push_back({branch.bci,
                                  branch.is_switch ? BranchKind::kSwitch : BranchKind::kIf,
                                  static_cast<uint32_t>(record->successors.size())});
    }
    record->derivation.counter_count = value;
    return true;
  }

 private:
  static std::vector<const ClassRecord*> PointersTo(const std::vector<ClassRecord>& records) {
    std::vector<const ClassRecord*> pointers;
    pointers.reserve(records.size());
    for (const ClassRecord& record : records) pointers.push_back(&record);
    return pointers;
  }

  const HarvestedProgram& program_;
  const RecordedClasses records_;
};

class RecordMaker {
 public:
  RecordMaker(const HarvestedProgram& program, std::span<const MethodScale> scales,
              const HarvestParts& parts)
      : program_(program), scales_(scales), parts_(parts), type_names_(program.classes.size()) {}

  std::vector<ClassRecord> Make() {
    std::vector<ClassRecord> records;
    for (uint32_t c = 0; c < program_.classes.size(); ++c) {
      const HarvestedClass& klass = program_.classes[c];
      if (klass.stable_name.empty() || klass.is_array || klass.is_previous_version) continue;
      if (IsBenchmarkHarness(InternalName(klass.stable_name))) continue;
      if (parts_.takes && !parts_.takes(klass)) continue;
      ClassRecord record = MakeRecord(c);
      if (!record.methods.empty()) records.push_back(std::move(record));
    }
    return records;
  }
  const std::vector<uint64_t>& counters() const { return counters_; }
  const TypeCounts& types() const { return types_; }
  uint64_t checks_left_out() const { return checks_left_out_; }

 private:
  ClassRecord MakeRecord(uint32_t number) {
    const HarvestedClass& klass = program_.classes[number];
    std::optional<ClassUse> use;
    if (parts_.image) use.emplace(TypeName(number));
    ClassRecord record;
    record.name = klass.stable_name;
    record.access = klass.access;
    for (uint32_t m = klass.first_method; m < klass.first_method + klass.methods; ++m) {
      const HarvestedMethod& method = program_.methods[m];
      if ((method.access & (kAccNative | kAccAbstract)) != 0) continue;
      if (scales_[m].calls == 0 && (!method.has_data || klass.is_superseded)) continue;
      const ImageUse found = use ? UseOf(*use, method) : ImageUse::kSame;
      if (AreCallsUsable(found)) AddMethod(m, IsPositionUsable(found), record);
    }
    return record;
  }

  ImageUse UseOf(const ClassUse& klass, const HarvestedMethod& method) const {
    std::vector<std::string> names;
    if (klass.asks_for_parameters())
      names = SignatureOf(method.descriptor).value_or(std::vector<std::string>());
    if (!names.empty()) names.erase(names.begin());  // the result
    const std::vector<std::string_view> parameters(names.begin(), names.end());
    return MethodUse(klass, method.name, parameters).For(*parts_.image);
  }

  // Without positions, only its calls.
  void AddMethod(uint32_t number, bool with_positions, ClassRecord& record) {
    const HarvestedMethod& from = program_.methods[number];
    const double factor = scales_[number].factor;
    CountedMethod method;
    method.name = from.name;
    method.descriptor = from.descriptor;
    method.access = from.access;
    method.code_hash = from.code_hash;
    method.sureness = scales_[number].sureness;
    method.first = CounterIndex{static_cast<uint32_t>(counters_.size())};
    method.record = number;
    method.first_site = next_site_;
    const auto index = static_cast<uint32_t>(record.methods.size());

    counters_.push_back(scales_[number].calls);
    const std::span<const HarvestedBranch> branches = from.branches;
    for (const HarvestedBranch& branch : with_positions ? branches : branches.first(0)) {
      for (const uint64_t count : branch.counts) counters_.push_back(Scaled(count, factor));
    }
    method.counters = static_cast<uint32_t>(counters_.size()) - static_cast<uint32_t>(method.first);
    for (const HarvestedTypes& types : from.types) {
      if (with_positions && !from.has_probes && types.is_lost_known && Takes(types))
        AddSite(types, index, factor, record);
    }
    method.sites = next_site_ - method.first_site;
    record.methods.push_back(method);
  }

  bool Takes(const HarvestedTypes& types) const {
    return types.is_call ? parts_.receivers : parts_.type_checks;
  }

  // A type check with too large a rest.
  bool IsDoubtful(const HarvestedTypes& types) {
    if (types.is_call) return false;
    uint64_t lost = types.lost;
    uint64_t all = types.lost;
    for (const auto& [klass, count] : types.rows) {
      all += count;
      if (TypeName(klass).empty()) lost += count;
    }
    return static_cast<double>(lost) > MostLostAtChecks(parts_.max_lost) * static_cast<double>(all);
  }

  void AddSite(const HarvestedTypes& types, uint32_t method, double factor, ClassRecord& record) {
    if (IsDoubtful(types)) {
      ++checks_left_out_;
      return;
    }
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
  uint32_t next_site_ = 0;
  uint64_t checks_left_out_ = 0;
  std::string descriptor_;
  std::vector<std::optional<std::string>> type_names_;  // by class
};

}  // namespace

std::vector<MethodScale> RawScales(const HarvestedProgram& program) {
  std::vector<MethodScale> scales(program.methods.size());
  for (size_t m = 0; m < scales.size(); ++m) {
    const HarvestedMethod& method = program.methods[m];
    scales[m].calls = method.invocations;
    // What ran before there was a MethodData is missing in branches and types.
    const bool has_calls_only = method.branches.empty() && method.types.empty();
    if (method.is_exact || (method.is_complete && has_calls_only))
      scales[m].sureness = Sureness::Exact();
  }
  return scales;
}

struct HarvestRecords::Rep {
  Rep(const HarvestedProgram& program, std::span<const MethodScale> scales,
      const HarvestParts& parts)
      : made(program, scales, parts),
        records(made.Make()),
        classes(program, records),
        options{.calls = parts.calls,
                .branches = parts.branches,
                .monitors = false,
                .max_lost = parts.max_lost} {}

  RecordMaker made;
  const std::vector<ClassRecord> records;
  const HarvestedClasses classes;
  const AssemblyOptions options;
};

HarvestRecords::HarvestRecords(const HarvestedProgram& program, std::span<const MethodScale> scales,
                               const HarvestParts& parts)
    : rep_(std::make_unique<const Rep>(program, scales, parts)) {}
HarvestRecords::~HarvestRecords() = default;
const ClassSource& HarvestRecords::classes() const { return rep_->classes; }
std::span<const uint64_t> HarvestRecords::counters() const { return rep_->made.counters(); }
const TypeCounts& HarvestRecords::types() const { return rep_->made.types(); }
AssemblyOptions HarvestRecords::options() const { return rep_->options; }
uint64_t HarvestRecords::checks_left_out() const { return rep_->made.checks_left_out(); }

AssemblyResult WriteHarvest(const HarvestedProgram& program, std::span<const MethodScale> scales,
                            const HarvestParts& parts, Profile& profile) {
  const HarvestRecords records(program, scales, parts);
  const LiveFrameCount no_frames = [](const MethodKey&) { return uint64_t{0}; };
  AssemblyResult result = AssembleProfile(
      records.classes(),
      {.counters = records.counters(), .types = records.types(), .live_frames = no_frames},
      records.options(), profile);
  result.sites_left_out += records.checks_left_out();
  return result;
}

}  // namespace iprof::hotspot
