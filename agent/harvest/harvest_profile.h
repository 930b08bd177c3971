// HarvestProfile: turns a harvested program into a profile, by the same assembly as the agent's
// counters (writer/records).
//
// Guarantees: as AssembleProfile: no dangling references, no entries without counts, the same
// program gives the same profile. Classes without a stable name are in no table.
// Threads: one. Failure: none but std::bad_alloc.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "agent/harvest/harvested_program.h"
#include "writer/base/lost_share.h"
#include "writer/profile/image/image_target.h"
#include "writer/profile/model.h"
#include "writer/records/profile_assembly.h"

namespace iprof::hotspot {

// How a method's numbers go into the profile, by the number of the method.
struct MethodScale {
  uint64_t calls = 0;
  double factor = 1;  // of its branches, receivers and type checks; at least 0
  Sureness sureness = Sureness::Bounded();  // of all of these
};

// What HotSpot counted, unchanged: exact or, where more may have run, bounded.
std::vector<MethodScale> RawScales(const HarvestedProgram& program);

// The largest share of objects of unknown class at a type check. Up to Java 21, HotSpot's compiled code does not record
// the classes that fail a check, so the rest may be one frequent class, and the known shares would be wrong. So the limit is that
// of exact counts, unless the user allows more than harvests do. Example: of 0.2 it makes 0.02, of 1 it makes 1.
constexpr double MostLostAtChecks(double max_lost) {
  return max_lost > kMostLostHarvest ? max_lost : std::min(max_lost, kMostLost);
}

// What of a harvest goes into a profile.
struct HarvestParts {
  bool calls = true;
  bool branches = true;
  bool receivers = true;
  bool type_checks = true;
  // A call site that lost a larger share of its objects is left out; type checks: see MostLostAtChecks.
  double max_lost = kMostLostHarvest;
  std::function<bool(const HarvestedClass&)> takes = {};  // null: every class
  // What a build of such an image cannot use is left out, as MakeImageProfile would do (writer/profile/image).
  // nullopt: nothing is.
  std::optional<ImageTarget> image = {};
};

// The records of a harvest and their counts, for an assembly.
//
// Guarantees: classes have the order of a ClassSource. Threads: one. Failure: std::bad_alloc.
class HarvestRecords {
 public:
  // All must outlive this object.
  HarvestRecords(const HarvestedProgram& program, std::span<const MethodScale> scales,
                 const HarvestParts& parts);
  ~HarvestRecords();
  HarvestRecords(const HarvestRecords&) = delete;
  HarvestRecords& operator=(const HarvestRecords&) = delete;

  const ClassSource& classes() const;
  std::span<const uint64_t> counters() const;
  const TypeCounts& types() const;
  AssemblyOptions options() const;
  // Type checks that are not among these, because their rest is too large.
  uint64_t checks_left_out() const;

 private:
  struct Rep;
  std::unique_ptr<const Rep> rep_;
};

AssemblyResult WriteHarvest(const HarvestedProgram& program, std::span<const MethodScale> scales,
                            const HarvestParts& parts, Profile& profile);

}  // namespace iprof::hotspot
