// ExactCounts: puts what the agent counted itself into a harvested program, so that an estimate goes out from it.
//
// Why: with source=both, calls of all other methods are estimated from the flow of the whole program. Methods with exact
// counts are part of that flow: they pass on what they were really called, by their exact receivers and branches. HotSpot
// stops counting, and its rows have two classes.
//
// How: counts have positions of the class file, and a method's calls have those of the running code, which has probes.
// ToClassFile maps the latter to the former. A call was executed as often as its block. A block has the largest count of the
// receivers and branches in it, or what flows in, if all branches on the way were counted. Other calls keep HotSpot's counts.
//
// Example: HotSpot stopped after 100 of 10,000 calls of a.Main.run, and counted its call of area() 110 times, with one class.
// FillCalls makes the invocations 10,000. The site met 9,000 objects of b.One and 1,000 of b.Two, so FillSites makes the call
// 10,000, with these two rows. Then b.One.area is estimated at 9,000.
//
// Of classes with one name, of different loaders, the one that HotSpot counted most is meant, both as owner of methods and as
// receiver; the others have no counts, so that none counts twice. The program lists the newest loader first, and after a
// redeployment its copy has hardly run. Of copies with equal counts, the first in the program is meant; previous versions of
// a class never are.
//
// Threads: one. Failure: a method whose positions are unknown keeps HotSpot's counts inside; std::bad_alloc.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "agent/harvest/harvested_program.h"
#include "writer/base/code_stamp.h"
#include "writer/profile/model.h"

namespace iprof::vm {

// A position in the running code of a method. `original` is that of the class file; nullopt: unknown.
struct RunningSite {
  std::string_view class_descriptor;
  std::string_view name;
  std::string_view descriptor;
  Bci running = 0;
  CodeStamp code = {};  // of the running code
  std::optional<Bci> original = std::nullopt;
};
// Fills `original` of sites in one class.
using ToClassFile = std::function<void(std::span<RunningSite>)>;

class ExactCounts {
 public:
  // `counted` must outlive this object, and stay as it is. `is_counted`: of which classes, by names with slashes, all methods
  // have exact counts, also where these are 0.
  ExactCounts(const Profile& counted, std::function<bool(std::string_view)> is_counted);

  // While the program is read: whether it should hold this method's code, for FillSites.
  bool NeedsCodeOf(const hotspot::HarvestedClass& klass,
                   const hotspot::HarvestedMethod& method) const;
  // Gives the methods of counted classes their calls. Returns how many of them ran.
  uint64_t FillCalls(hotspot::HarvestedProgram& program);
  // After FillCalls: fills those of them whose code the program holds. `stops` is asked before each class; once it says
  // so, all other methods keep HotSpot's counts. Null: never.
  void FillSites(const ToClassFile& to_class_file, const std::function<bool()>& stops,
                 hotspot::HarvestedProgram& program) const;

 private:
  const Profile& counted_;
  const std::function<bool(std::string_view)> is_counted_;
  std::vector<bool> has_counts_;   // by method of the profile
  std::vector<uint32_t> classes_;  // of the program, by type of the profile; kNoClass: none
};

}  // namespace iprof::vm
