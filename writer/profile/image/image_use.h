// ImageUse: what an image build can use of the numbers about a method, and where a stack is cut for
// it.
//
//  - If the image has the method unchanged: all.
//  - If the image replaces the method (substitutions.h): only its calls. The positions are those of
//    the JDK's code, not of the image's. So branches, receivers and samples are useless, and
//    samples can even make the build fail.
//  - If the image does not have the method, or only a JVM runs it (machinery.h): none.
//
// A context may lose its outermost callers; it is then less specific, but still correct. A sample's
// stack is cut in this order, where the innermost frame is the first:
//  1. The stack is left out if machinery does its own work: inside the innermost machinery frame
//     (kWork) there are only frames of the JDK's base. Program code that machinery called is kept.
//  2. Innermost frames that an image does not have are dropped; their caller gets the time. If the
//     innermost remaining frame is of a replaced method, it is kept with position 0, because the
//     image spends time there, too.
//  3. The stack ends before the next frame of a method that an image does not have, or has with
//     another body.
//
// Guarantees: pure; allocates nothing. Threads: any. Failure: none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "writer/profile/image/image_target.h"
#include "writer/profile/image/machinery.h"
#include "writer/profile/image/substitutions.h"
#include "writer/profile/sample_threads.h"

namespace iprof {

enum class ImageUse : uint8_t { kSame, kReplaced, kAbsent, kMachineryCalls, kMachineryWork };

// What the uses of a class's methods have in common.
class ClassUse {
 public:
  explicit ClassUse(std::string_view name)
      : substitutions_(FindSubstitutions(name)),
        machinery_(MachineryRulesOf(name)),
        is_platform_(IsPlatformClass(name)),
        is_thread_(name == kThreadType) {}

  // Whether a method's parameters may make a difference.
  bool asks_for_parameters() const { return substitutions_ != nullptr; }

 private:
  friend class MethodUse;

  const SubstitutionRow* substitutions_;
  uint64_t machinery_;
  bool is_platform_;
  bool is_thread_;
};

// The uses of one method, for every target.
class MethodUse {
 public:
  MethodUse() = default;
  // A thread (sample_threads.h) is no method that an image has.
  MethodUse(const ClassUse& klass, std::string_view method,
            std::span<const std::string_view> parameters);
  MethodUse(std::string_view class_name, std::string_view method,
            std::span<const std::string_view> parameters);

  ImageUse For(ImageTarget target) const;
  bool is_platform() const { return is_platform_; }
  const MachineryRule* machinery() const { return machinery_; }

 private:
  Substitution substitution_;
  const MachineryRule* machinery_ = nullptr;
  bool is_platform_ = false;
};

// Whether a record at a position of the method is usable. A call count has no position.
inline bool IsPositionUsable(ImageUse use) { return use == ImageUse::kSame; }
inline bool AreCallsUsable(ImageUse use) {
  return use == ImageUse::kSame || use == ImageUse::kReplaced;
}

// Whether machinery does its own work in a stack (1. above), which only the frames of that machinery say. `uses` has one
// element for each frame, innermost first.
bool IsWorkOfJvm(std::span<const MethodUse* const> uses);

// The part of a stack that is kept: frames [first, last); empty if both are equal.
struct StackCut {
  size_t first = 0;
  size_t last = 0;
  bool first_at_0 = false;  // the innermost remaining frame is of a replaced method
  bool empty() const { return first == last; }
  bool operator==(const StackCut&) const = default;
};

StackCut CutStack(std::span<const MethodUse* const> uses, ImageTarget target);

// How many frames of a context of the other tables are kept; the innermost one always is.
size_t CutCallers(std::span<const MethodUse* const> uses, ImageTarget target);

}  // namespace iprof
