#include "agent/instrument/table/content_hash.h"

#include <cstdint>
#include <vector>

namespace iprof::instrument {

Hash128 ContentHash(const classfile::ClassFile& file, std::string_view profile_name) {
  const classfile::ByteSpan bytes = file.bytes();
  const std::string_view own = file.name();
  if (own == profile_name) return Murmur3(bytes);
  std::vector<uint8_t> rest;
  rest.reserve(bytes.size());
  size_t kept = 0;
  const classfile::ConstantPool& pool = file.pool();
  for (uint32_t i = 1; i < pool.count(); ++i) {
    const classfile::CpIndex index{static_cast<uint16_t>(i)};
    if (pool.tag(index) != classfile::Tag::kUtf8 || pool.Utf8(index) != own) continue;
    // The tag stays. The length, which depends on the number's digits, and the text are removed.
    const size_t length_at = pool.Offset(index) + size_t{1};
    rest.insert(rest.end(), bytes.data() + kept, bytes.data() + length_at);
    kept = length_at + 2 + own.size();
  }
  rest.insert(rest.end(), bytes.data() + kept, bytes.data() + bytes.size());
  return Murmur3(rest);
}

}  // namespace iprof::instrument
