#include "agent/classfile/class_file.h"

namespace iprof::classfile {

namespace {

constexpr uint32_t kMagic = 0xCAFEBABE;
// Offsets have 32 bits. The JVM itself loads only far smaller classes.
constexpr size_t kMaxClassBytes = size_t{1} << 30;

bool SkipAttributes(ByteReader& reader, uint32_t count) {
  for (uint32_t i = 0; i < count && reader.ok(); ++i) {
    reader.U2();
    reader.Skip(reader.U4());
  }
  return reader.ok();
}

}  // namespace

Reason ClassFile::Parse(ByteSpan bytes, Arena& arena) {
  *this = ClassFile();
  if (bytes.size() < 10 || LoadU4(bytes.data()) != kMagic) return Reason::kNotAClassFile;
  if (bytes.size() > kMaxClassBytes) return Reason::kClassTooLarge;
  bytes_ = bytes;
  if (major_version() < kOldestVersion || major_version() > kNewestVersion) {
    return Reason::kUnsupportedVersion;
  }
  if (const Reason r = pool_.Parse(bytes, arena); r != Reason::kOk) return r;

  ByteReader reader(bytes);
  reader.Skip(pool_.end_offset());
  access_ = reader.U2();
  this_class_ = CpIndex{reader.U2()};
  super_class_ = CpIndex{reader.U2()};
  interface_count_ = reader.U2();
  if (!reader.ok() || reader.remaining() < size_t{interface_count_} * 2) {
    return Reason::kBadStructure;
  }
  interfaces_ = arena.Allocate<CpIndex>(interface_count_);
  for (uint32_t i = 0; i < interface_count_; ++i) interfaces_[i] = CpIndex{reader.U2()};

  if (!ReadMembers(reader, arena, false, &fields_, &field_count_)) return Reason::kBadStructure;
  methods_offset_ = reader.position();
  if (!ReadMembers(reader, arena, true, &methods_, &method_count_)) return Reason::kBadStructure;
  attributes_offset_ = reader.position();
  if (!SkipAttributes(reader, reader.U2()) || reader.remaining() != 0) {
    return Reason::kBadStructure;
  }
  if (pool_.tag(this_class_) != Tag::kClass || name().data() == nullptr) {
    return Reason::kBadStructure;
  }
  return Reason::kOk;
}

bool ClassFile::ReadMembers(ByteReader& reader, Arena& arena, bool methods, MemberInfo** out,
                            uint32_t* count) {
  const uint32_t n = reader.U2();
  if (!reader.ok() || reader.remaining() < size_t{n} * 8) return false;
  auto* members = arena.Allocate<MemberInfo>(n);
  for (uint32_t i = 0; i < n; ++i) {
    MemberInfo& m = members[i];
    m = MemberInfo();
    m.offset = static_cast<uint32_t>(reader.position());
    m.access = reader.U2();
    m.name = CpIndex{reader.U2()};
    m.descriptor = CpIndex{reader.U2()};
    m.attribute_count = reader.U2();
    if (methods && pool_.Utf8(m.name) == "<clinit>" &&
        (major_version() < 51 || (m.access & kAccStatic) != 0)) {
      m.access = kAccStatic;
    }
    for (uint32_t a = 0; a < m.attribute_count; ++a) {
      const size_t at = reader.position();
      const CpIndex name{reader.U2()};
      if (!reader.Skip(reader.U4())) return false;
      if (methods && pool_.Utf8(name) == "Code") {
        if (m.code_offset != 0) return false;
        m.code_offset = static_cast<uint32_t>(at);
      }
    }
    if (!reader.ok()) return false;
    m.end = static_cast<uint32_t>(reader.position());
  }
  *out = members;
  *count = n;
  return true;
}

}  // namespace iprof::classfile
