// ImageUse: what an image build can do with a method's records; and where a stack is cut for it.
//
//  - A method that an image has as the JVM has it: everything.
//  - One that the image replaces (substitutions.h): its calls. Its positions are those of another
//    body, so branches, receivers and samples in it are of no use, and the latter can stop the build.
//  - One that the image does not have, or that only a JVM runs (machinery.h): nothing.
//
// A context names callers, and they can be cut off: a shorter context is legal and says less. A
// stack of samples is cut like this, frames being innermost first:
//  1. It is left out where machinery does its own work: the innermost machinery (kWork) has only
//     frames of the JDK's base inside it. Program code that machinery called stays.
//  2. Innermost frames that an image does not have are dropped; what called them takes the time. If
//     the innermost frame that is left is of a replaced method, it stays at position 0, since the
//     image spends time there, too.
//  3. The stack ends before the next frame of a method that an image has not or has with another
//     body.
//
// Pure; any thread; never fails.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "writer/image/image_target.h"
#include "writer/image/machinery.h"
#include "writer/image/substitutions.h"

namespace iprof {

enum class ImageUse : uint8_t { kSame, kReplaced, kAbsent, kMachineryCalls, kMachineryWork };

// One method, for every target.
class MethodUse {
 public:
  MethodUse() = default;
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

// Whether a record at a position of the method is of use; a method's call count has none.
inline bool IsPositionUsable(ImageUse use) { return use == ImageUse::kSame; }
inline bool AreCallsUsable(ImageUse use) {
  return use == ImageUse::kSame || use == ImageUse::kReplaced;
}

// What is left of a stack: frames [first, last); nothing where both are equal.
struct StackCut {
  size_t first = 0;
  size_t last = 0;
  bool first_at_0 = false;  // the innermost frame left is that of a replaced method
  bool empty() const { return first == last; }
  bool operator==(const StackCut&) const = default;
};

// uses: of each frame, innermost first.
StackCut CutStack(std::span<const MethodUse* const> uses, ImageTarget target);

// How many frames of another table's context are left; the innermost always is.
size_t CutCallers(std::span<const MethodUse* const> uses, ImageTarget target);

}  // namespace iprof
