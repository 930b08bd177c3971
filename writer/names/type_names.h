// Type names: converts the JVM's descriptors to the names in profiles, which are those
// of Class.getName().
//
// Guarantees: pure. The text remains modified UTF-8, as the JVM returned it; profiles contain plain
// UTF-8, see ToUtf8.
// Threads: any. Failure: a malformed descriptor has no result. Throws nothing but std::bad_alloc.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "writer/names/typed_names.h"

namespace iprof {

// The BinaryName: "I" → "int", "Ljava/lang/String;" → "java.lang.String", "[[I" → "[[I", "[La/B;" →
// "[La.B;"; empty if malformed.
std::optional<std::string> TypeNameOf(Descriptor descriptor);

// As above, in UTF-8, and into a string that can be used again; false if malformed.
bool WriteTypeName(Descriptor descriptor, std::string* utf8);

// The inverse for names of classes: "a.B$$Lambda/0x01" → "a/B$$Lambda.0x01".
std::string InternalNameOf(std::string_view class_name);
// And for names of all types: "int" → "I", "a.B" → "La/B;", "[La.B;" → "[La/B;".
std::string DescriptorOf(std::string_view type_name);

// The parts of a method descriptor: "(I[J)V" has the parameters "I" and "[J" and the result "V".
struct MethodTypes {
  std::vector<std::string_view> parameters;
  std::string_view result;
};
// Empty if malformed. The parts are views into the text.
std::optional<MethodTypes> SplitDescriptor(std::string_view method_descriptor);

// The names of a method descriptor's types: the return type first, then the parameters; empty
// if malformed.
std::optional<std::vector<std::string>> SignatureOf(std::string_view method_descriptor);

// Converts modified UTF-8 (as JVMTI returns it) to UTF-8: 0xC080 becomes a zero byte,
// surrogate pairs become four bytes. Invalid bytes, including lone surrogates, become '?', as
// with Java's encoder.
std::string ToUtf8(std::string_view modified_utf8);
// The same without a copy if the text is ASCII, as most are. Otherwise the result is in `made`.
std::string_view ToUtf8(std::string_view modified_utf8, std::string* made);

// "java.util" of "java.util.Map$Entry"; empty for a class in no package.
std::string_view PackageOf(std::string_view class_name);

// Whether a descriptor from JVMTI is that of a hidden class: "La/B.0x0000;" has a dot before
// the suffix.
bool IsHiddenClass(Descriptor descriptor);

// Whether a class is method-handle linkage: a hidden class of java.lang.invoke, or one of the
// `…$Holder` classes, which contain the lambda forms that were generated when the JDK was built. An
// image has neither, so they are in no table.
bool IsLinkageClass(InternalName name);
bool IsLinkageClass(ProfileName name);

// Whether a descriptor is that of a class that reflection generates at run time, such as
// GeneratedMethodAccessor7. These are numbered in the order of creation, so an image build cannot
// know them.
bool IsGeneratedAccessor(Descriptor descriptor);

}  // namespace iprof
