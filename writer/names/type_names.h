// Type names: from the JVM's descriptors to the names that a profile holds, those of
// Class.getName().
//
// Guarantees: pure; malformed descriptors give an error, never a crash. The text stays what the JVM
// gave (modified UTF-8); a profile holds plain UTF-8, see ToUtf8.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "writer/names/typed_names.h"

namespace iprof {

// The BinaryName: "I" → "int", "Ljava/lang/String;" → "java.lang.String", "[[I" → "[[I", "[La/B;" → "[La.B;";
// nothing if malformed.
std::optional<std::string> TypeNameOf(Descriptor descriptor);

// A method descriptor taken apart: "(I[J)V" has the parameters "I" and "[J" and the result "V".
struct MethodTypes {
  std::vector<std::string_view> parameters;
  std::string_view result;
};
// Nothing if malformed. The parts belong to the text.
std::optional<MethodTypes> SplitDescriptor(std::string_view method_descriptor);

// A method descriptor's types by name: the return type first, then the parameters; nothing if
// malformed.
std::optional<std::vector<std::string>> SignatureOf(std::string_view method_descriptor);

// Modified UTF-8 (as JVMTI returns it) as UTF-8: 0xC080 becomes a zero byte, surrogate pairs become
// four bytes. Bytes that are neither, lone surrogates included, become '?', as Java's own encoder
// does.
std::string ToUtf8(std::string_view modified_utf8);

// Whether a descriptor from JVMTI is that of a hidden class: "La/B.0x0000;", a dot before the
// suffix.
bool IsHiddenClass(Descriptor descriptor);

// Whether a class is linkage of method handles: one of java.lang.invoke that
// is hidden, or one of the `…$Holder` classes, which hold the lambda forms that were made when the
// JDK was built. An image has neither, so that no table knows them.
bool IsLinkageClass(InternalName name);
bool IsLinkageClass(ProfileName name);

// Whether a descriptor is that of a class that reflection generates while the program runs, such as
// GeneratedMethodAccessor7: numbered in the order of their making, so that no image build could know
// them.
bool IsGeneratedAccessor(Descriptor descriptor);

}  // namespace iprof
