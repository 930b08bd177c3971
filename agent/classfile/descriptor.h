// Method and field descriptors: walking the types of "(I[JLjava/lang/String;)D".
//
// Guarantees: works on untrusted strings; a malformed one is reported, nothing is read outside it.
#pragma once

#include <cstdint>
#include <string_view>

namespace iprof::classfile {

// The kind of a type: 'B','C','D','F','I','J','S','Z', 'L' (class), '[' (array), 'V'.
struct TypeView {
  char kind = 0;
  std::string_view text;

  int slots() const {
    if (kind == 'V') return 0;
    return kind == 'J' || kind == 'D' ? 2 : 1;
  }
  // The letter of the load and store instructions: I, J, F, D, A.
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

// Takes one type from the front of `rest`; false when there is none.
bool TakeType(std::string_view* rest, TypeView* out);

// Walks the arguments of a method descriptor:
//     DescriptorWalk walk(text); TypeView t;
//     while (walk.NextArgument(&t)) …
//     if (!walk.Result(&t)) malformed;
class DescriptorWalk {
 public:
  explicit DescriptorWalk(std::string_view method_descriptor);
  bool NextArgument(TypeView* out);
  // After the last argument: the result type, and whether all was well-formed.
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

// Slots of a field descriptor; -1 when malformed.
int FieldSlots(std::string_view descriptor);

}  // namespace iprof::classfile
