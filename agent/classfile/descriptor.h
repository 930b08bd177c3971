// Method and field descriptors: iterates over the types in "(I[JLjava/lang/String;)D".
//
// Guarantees: accepts untrusted strings and never reads outside them.
// Threads: any; values only. Failure: a malformed descriptor is reported by the result of each
// function.
#pragma once

#include <cstdint>
#include <string_view>

namespace iprof::classfile {

// The kind of a type: 'B','C','D','F','I','J','S','Z', 'L' (class), '[' (array), 'V'.
struct TypeView {
  char kind = 0;
  std::string_view text;

  // The internal name of the class in "L…;"; empty if the kind is not 'L'.
  std::string_view class_name() const {
    return kind == 'L' ? text.substr(1, text.size() - 2) : std::string_view();
  }
  int slots() const {
    if (kind == 'V') return 0;
    return kind == 'J' || kind == 'D' ? 2 : 1;
  }
  // The letter of the type's load and store instructions: I, J, F, D, A.
  char load_kind() const {
    switch (kind) {
      case 'J':
      case 'F':
      case 'D':
        return kind;
      case 'L':
      case '[':
        return 'A';
      default:
        return 'I';
    }
  }
};

// Takes one type from the front of `rest`. Returns false if there is none.
bool TakeType(std::string_view* rest, TypeView* out);

// Iterates over the arguments of a method descriptor:
//     DescriptorWalk walk(text); TypeView t;
//     while (walk.NextArgument(&t)) …
//     if (!walk.Result(&t)) malformed;
class DescriptorWalk {
 public:
  explicit DescriptorWalk(std::string_view method_descriptor);
  bool NextArgument(TypeView* out);
  // Call it after the last argument. Stores the result type; returns whether the descriptor is
  // well-formed.
  bool Result(TypeView* out);

 private:
  std::string_view rest_;
  bool ok_;
};

struct MethodSlots {
  int arguments = 0;  // without the receiver
  int result = 0;
  bool ok = false;
};
MethodSlots CountSlots(std::string_view method_descriptor);

// The slots of a field descriptor, or -1 if it is malformed.
int FieldSlots(std::string_view descriptor);

}  // namespace iprof::classfile
