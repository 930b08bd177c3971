// The part "split" of a profile's section "iprofagent": the whole stacks of the samples that a file does not have whole. An
// image build cannot follow some frames (reflection, work of a JVM: image/image_use.h), and would prefer the callee that was
// sampled at a call to the classes that were counted there (image/sample_split.h). So the table of samples has none, one or
// two pieces of such a stack.
//   "split": {"sites":1,"complete":true,"types":[[40,"jdk.internal.reflect.DirectMethodHandleAccessor"]],
//             "methods":[[12,"invoke",40,8]],"whole":[["9:4<7:31<2:12<1:5",40,0,2,2,4],["3:8<12:6<*2",7,-1,1]]}
//
// Each element of "whole" is a stack as in the samples' table, its weight, and where each of its pieces begins and ends, as
// numbers of frames from the innermost one, 0, on. "*2" stands for the two outermost frames of the stack before. A first
// number of -n-1 instead of n says that the piece's innermost frame is at position 0 in the table. The example's table has
// the pieces "9:4<7:31" and "2:12<1:5" with 40, and "3:0" with 7 more than the program's other stacks give them.
// "sites" is the number of calls at which stacks were cut. "types" and "methods" are those that only whole stacks name: id
// and name, and of a method the ids of its signature. "complete" says whether all stacks are whole: false if an earlier build
// had cut some before they were merged. It is absent where that build wrote the file, or nothing was cut for images.
//
// Guarantees: in memory, a profile's samples are whole: the reader puts pieces together (JoinPieces), so everybody but an
// image build sees whole stacks. A part that does not fit the table, because another program changed it, is ignored.
// WrittenStacks and JoinPieces are inverse, except for the order of stacks. Writing what was read gives the same bytes.
// Millions of frames may be in the stacks, so no function copies those that it need not return. A small text cannot fill
// the memory: at most kMostShared frames are written as '*'.
//
// Of samples that know their thread (sample_threads.h), the table and "whole" have the stacks without it, and two more
// members say which thread has how much of them:
//   "threads":["pool-*-thread-*","main"],"of":[[0,0,38,1,2]]
// Stack 0 has 38 from the first thread and 2 from main; the rest of its weight is of no known thread. Stacks have numbers in the
// order in which a reader finds them: those of the table that are no pieces, then those of "whole".
//
// Two further members say when samples were taken: in which periods of the recording (writer/base/time_period.h).
//   "seconds":[0,4,6],"during":[1,[0,1,2,1],[]]
// "seconds" are the beginnings of periods. "during" has a row for each stack of each thread, in the order of "of", and behind the
// threads of a stack for what is left of it: here 38 of stack 0 with the first thread, all in seconds 4 and 5; 2 with main, one in
// second 0 and one in seconds 6 and 7; the rest, of which no period is known. Rows at the end that know no period may be absent.
// Threads: any; pure functions. Failure: what is no part is nullopt; std::bad_alloc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "writer/profile/io/agent_section.h"
#include "writer/profile/model.h"
#include "writer/profile/sample_threads.h"

namespace iprof {

// The part of a profile that has not been written yet. Its stacks are found when it is written.
inline constexpr std::string_view kCompleteSplit = R"({"sites":0,"complete":true,"whole":[]})";
// The same, of a merge with files whose stacks were cut by an earlier build.
inline constexpr std::string_view kIncompleteSplit = R"({"sites":0,"complete":false,"whole":[]})";
inline constexpr size_t kMostShared = size_t{4} << 20;

struct SampledStack {
  std::vector<Frame> frames;  // innermost first
  int64_t weight = 0;
  bool operator==(const SampledStack&) const = default;
};

// A stack whose frames are elsewhere.
struct StackView {
  std::span<const Frame> frames;
  int64_t weight = 0;
  bool at_0 = false;  // the innermost frame stands for position 0 of its method

  Frame At(size_t i) const { return {frames[i].method, at_0 && i == 0 ? 0 : frames[i].bci}; }
};

// Frames [from, to) of a stack.
struct StackPiece {
  size_t from = 0;
  size_t to = 0;
  bool at_0 = false;
  bool operator==(const StackPiece&) const = default;
};

struct SplitStack {
  SampledStack whole;
  std::vector<StackPiece> pieces;
  bool operator==(const SplitStack&) const = default;
};

// How much of a stack each thread or period has, by its number in a list of them.
struct StackShares {
  static constexpr int64_t kAll = -1;  // all that the stack has

  size_t stack = 0;
  std::vector<std::pair<size_t, int64_t>> shares;
  bool operator==(const StackShares&) const = default;
};

struct SplitPart {
  size_t sites = 0;
  std::optional<bool> complete = std::nullopt;
  std::vector<SplitStack> stacks = {};
  std::vector<std::string> threads = {};
  std::vector<StackShares> of_threads = {};  // by stack, ascending
  std::vector<int64_t> seconds = {};         // in which periods begin, ascending
  std::vector<StackShares> of_periods = {};  // by row, ascending
  // Not written with the others, because only whole stacks name them. Empty in what was parsed.
  std::vector<TypeIndex> hidden_types = {};
  std::vector<MethodIndex> hidden_methods = {};
  bool operator==(const SplitPart&) const = default;

  struct Share {
    size_t stacks = 0;
    int64_t weight = 0;
  };
  // Of the stacks with so many pieces: 0 are left out, 1 are cut.
  Share With(size_t pieces) const;
  // By how much the pieces' weights make the total of the table larger than that of the stacks that are in it.
  int64_t added() const;
  // For people: "34 of 431 stacks, with 12.3 % of the weight". `all` are those of the profile.
  static std::string Describe(Share share, Share all);
  bool is_needed() const {
    return complete.has_value() || !stacks.empty() || !of_threads.empty() || !of_periods.empty();
  }
  // Fills the four members for the profile's samples. After `stacks`.
  void NoteThreads(const Profile& profile);
  std::string ToJson(const Profile& profile) const;
  // `method_of` gives kNoMethod for an id that is not declared.
  static std::optional<SplitPart> Parse(std::string_view json,
                                        const std::function<MethodIndex(int64_t id)>& method_of);
  // Empty if the profile has none, or none that can be read.
  static SplitPart Of(const Profile& profile);
  // `complete` alone. Also of a profile that has lost methods, and with them stacks, since it was read.
  static std::optional<bool> CompleteOf(const Profile& profile);
};

// The types and methods that only the part declares, in its order.
struct HiddenNames {
  struct Type {
    int64_t id;
    std::string name;
  };
  struct Method {
    int64_t id;
    std::string name;
    std::vector<int64_t> signature;
  };
  std::vector<Type> types;
  std::vector<Method> methods;

  static std::optional<HiddenNames> Parse(std::string_view json);
};

// Whether the text has the shape of the part.
bool IsSplitPart(std::string_view json);

// The whole stacks of a profile, without their threads and periods; equal ones are added up.
std::vector<SampledStack> StacksOf(const Profile& profile);

StackView ViewOf(const SampledStack& stack);
StackView ViewOf(const SampledStack& stack, const StackPiece& piece);

// What is written for them: stacks that are not split, in their order, then the pieces of the others. Equal ones are added up.
// The frames are those of `whole` and of `split`, which must stay.
std::vector<StackView> WrittenStacks(const std::vector<SampledStack>& whole,
                                     const SplitPart& split);

// The inverse. False, and nothing happens, if the table does not have the pieces.
bool JoinPieces(SplitPart split, std::vector<SampledStack>& stacks);

// Gives the stacks, which JoinPieces has made, these of their labels again, and declares the threads. Labels that do not fit are
// left out.
void JoinThreads(const SplitPart& split, SampleLabels labels, std::vector<SampledStack>& stacks,
                 Profile& profile);

}  // namespace iprof
