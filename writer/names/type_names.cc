#include "writer/names/type_names.h"

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "writer/base/utf8.h"

namespace iprof {
namespace {

std::string_view PrimitiveName(char letter) {
  switch (letter) {
    case 'Z':
      return "boolean";
    case 'B':
      return "byte";
    case 'S':
      return "short";
    case 'C':
      return "char";
    case 'I':
      return "int";
    case 'F':
      return "float";
    case 'J':
      return "long";
    case 'D':
      return "double";
    case 'V':
      return "void";
    default:
      return {};
  }
}

// The length of the field descriptor at the front of text; 0 if there is none.
size_t DescriptorLength(std::string_view text) {
  const size_t element = text.find_first_not_of('[');
  if (element == std::string_view::npos) return 0;
  if (text[element] != 'L') return PrimitiveName(text[element]).empty() ? 0 : element + 1;
  const size_t end = text.find(';', element);
  return end == std::string_view::npos || end == element + 1 ? 0 : end + 1;
}

void PutDots(std::string* name) {
  for (char& c : *name) {
    // In the name of a hidden class, JVMTI exchanges dots and slashes: its "a/B.0x01" is
    // getName()'s "a.B/0x01".
    if (c == '/') {
      c = '.';
    } else if (c == '.') {
      c = '/';
    }
  }
}

// It is its own inverse.
std::string WithDots(std::string_view name) {
  std::string dotted(name);
  PutDots(&dotted);
  return dotted;
}

// A decoded code unit and its length in bytes; 0 if the bytes are not modified UTF-8.
struct CodeUnit {
  uint32_t value;
  size_t length;
};

CodeUnit ReadCodeUnit(std::string_view text, size_t at) {
  const auto byte = [&](size_t i) {
    return i < text.size() ? static_cast<uint32_t>(static_cast<unsigned char>(text[i])) : 0U;
  };
  const auto continues = [&](size_t i) { return (byte(i) & 0xC0) == 0x80; };
  const uint32_t first = byte(at);
  if (first < 0x80) return {first, 1};
  if ((first & 0xE0) == 0xC0 && continues(at + 1)) {
    return {((first & 0x1F) << 6) | (byte(at + 1) & 0x3F), 2};
  }
  if ((first & 0xF0) == 0xE0 && continues(at + 1) && continues(at + 2)) {
    return {((first & 0x0F) << 12) | ((byte(at + 1) & 0x3F) << 6) | (byte(at + 2) & 0x3F), 3};
  }
  return {0, 0};
}

// How many bytes at the front are ASCII, or fewer by up to seven: nearly all names are nothing else.
size_t LeadingAscii(std::string_view text) {
  size_t at = 0;
  for (uint64_t bytes = 0; at + sizeof bytes <= text.size(); at += sizeof bytes) {
    std::memcpy(&bytes, text.data() + at, sizeof bytes);
    if ((bytes & 0x8080808080808080) != 0) return at;
  }
  while (at < text.size() && static_cast<unsigned char>(text[at]) < 0x80) ++at;
  return at;
}

}  // namespace

std::optional<std::string> TypeNameOf(Descriptor descriptor) {
  const std::string_view text = descriptor.text();
  if (text.empty() || DescriptorLength(text) != text.size()) return std::nullopt;
  if (text.front() == '[') return WithDots(text);
  if (descriptor.IsClass()) return WithDots(descriptor.ClassName().text());
  return std::string(PrimitiveName(text.front()));
}

bool WriteTypeName(Descriptor descriptor, std::string* utf8) {
  const std::string_view text = descriptor.text();
  if (text.empty() || DescriptorLength(text) != text.size()) return false;
  if (text.front() != '[' && !descriptor.IsClass()) {
    *utf8 = PrimitiveName(text.front());
    return true;
  }
  *utf8 = text.front() == '[' ? text : descriptor.ClassName().text();
  PutDots(utf8);
  if (LeadingAscii(*utf8) != utf8->size()) *utf8 = ToUtf8(*utf8);
  return true;
}

std::string InternalNameOf(std::string_view class_name) { return WithDots(class_name); }

std::string DescriptorOf(std::string_view type_name) {
  constexpr std::string_view kPrimitives = "ZBSCIFJDV";
  for (const char letter : kPrimitives) {
    if (PrimitiveName(letter) == type_name) return std::string(1, letter);
  }
  return type_name.starts_with('[') ? WithDots(type_name) : "L" + WithDots(type_name) + ";";
}

std::optional<MethodTypes> SplitDescriptor(std::string_view method_descriptor) {
  if (!method_descriptor.starts_with('(')) return std::nullopt;
  MethodTypes types;
  std::string_view rest = method_descriptor.substr(1);
  while (!rest.starts_with(')')) {
    const size_t length = DescriptorLength(rest);
    if (length == 0 || rest[length - 1] == 'V') return std::nullopt;
    types.parameters.push_back(rest.substr(0, length));
    rest.remove_prefix(length);
  }
  types.result = rest.substr(1);
  if (types.result.empty() || DescriptorLength(types.result) != types.result.size()) {
    return std::nullopt;
  }
  return types;
}

std::optional<std::vector<std::string>> SignatureOf(std::string_view method_descriptor) {
  const auto split = SplitDescriptor(method_descriptor);
  if (!split) return std::nullopt;
  std::vector<std::string> types{TypeNameOf(Descriptor(split->result)).value_or("")};
  for (const std::string_view parameter : split->parameters)
    types.push_back(TypeNameOf(Descriptor(parameter)).value_or(""));
  return types;
}

std::string_view ToUtf8(std::string_view modified_utf8, std::string* made) {
  if (LeadingAscii(modified_utf8) == modified_utf8.size()) return modified_utf8;
  *made = ToUtf8(modified_utf8);
  return *made;
}

std::string ToUtf8(std::string_view modified_utf8) {
  size_t i = LeadingAscii(modified_utf8);
  std::string out;
  out.reserve(modified_utf8.size());
  out = modified_utf8.substr(0, i);
  while (i < modified_utf8.size()) {
    const CodeUnit unit = ReadCodeUnit(modified_utf8, i);
    if (unit.length == 0) {
      out += '?';
      ++i;
      continue;
    }
    i += unit.length;
    if (IsHighSurrogate(unit.value)) {
      const CodeUnit low =
          i < modified_utf8.size() ? ReadCodeUnit(modified_utf8, i) : CodeUnit{0, 0};
      if (low.length != 0 && IsLowSurrogate(low.value)) {
        AppendCodePoint(JoinSurrogates(unit.value, low.value), &out);
        i += low.length;
      } else {
        out += '?';
      }
    } else if (IsLowSurrogate(unit.value)) {
      out += '?';
    } else {
      AppendCodePoint(unit.value, &out);
    }
  }
  return out;
}

bool IsHiddenClass(Descriptor descriptor) {
  return descriptor.text().find('.') != std::string_view::npos;
}

bool IsLinkageClass(InternalName name) {
  return name.text().starts_with("java/lang/invoke/") &&
         (name.text().find('.') != std::string_view::npos || name.text().ends_with("$Holder"));
}

bool IsLinkageClass(ProfileName name) {
  return name.text().starts_with("java.lang.invoke.") &&
         (name.text().find('/') != std::string_view::npos || name.text().ends_with("$Holder"));
}

bool IsGeneratedAccessor(Descriptor descriptor) {
  constexpr std::string_view kPrefix = "jdk/internal/reflect/Generated";
  const std::string_view name = descriptor.ClassName().text();
  if (!name.starts_with(kPrefix)) return false;
  const size_t end = name.find_last_not_of("0123456789");
  return end + 1 < name.size() && name.substr(0, end + 1).ends_with("Accessor");
}

std::string_view PackageOf(std::string_view class_name) {
  class_name = class_name.substr(0, class_name.find('/'));  // of a hidden class
  const size_t dot = class_name.rfind('.');
  return dot == std::string_view::npos ? std::string_view() : class_name.substr(0, dot);
}

}  // namespace iprof
