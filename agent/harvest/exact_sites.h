// ExactSites: puts what the agent counted at the branches and call sites of a method into a harvested
// program, so that an estimate passes on the method's calls as they were.
//
// Why: HotSpot stops counting, and its rows have two classes. The profile has exact receivers and
// branches of the same methods.
//
// How: the profile has positions of the class file, and a method's calls have those of the running code,
// which has probes. `to_class_file` maps the latter to the former. A call was executed as often as its
// block. A block has the largest count of the receivers and branches in it, or what flows in, if all
// branches on the way are in the profile. Other calls keep HotSpot's counts.
//
// Guarantees: pure. Of classes with the same name the one that HotSpot counted most (names_in_profile.h)
// is meant, both as owner of the methods and as receiver.
// Threads: any. Failure: a method whose positions are unknown keeps HotSpot's counts; std::bad_alloc.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string_view>

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

// Which methods have counts in the profile, so that the program should hold their code. `counted` must
// outlive the result and stay as it is.
std::function<bool(const hotspot::HarvestedClass&, const hotspot::HarvestedMethod&)> HasCounts(
    const Profile& counted);

// Fills the methods with exact calls (exact_calls.h) whose code the program holds. `classes` are those that
// SetExactCalls got. `stops` is asked before each class; once it says so, all other methods keep HotSpot's
// counts. Null: never.
void SetExactSites(const Profile& counted, std::span<const uint32_t> classes,
                   const ToClassFile& to_class_file, hotspot::HarvestedProgram& program,
                   const std::function<bool()>& stops = {});

}  // namespace iprof::vm
