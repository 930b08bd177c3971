#include "cli/classpath/archive_builder.h"

#include <zlib.h>

#include <cassert>
#include <cstring>

#include "cli/classpath/inflate.h"

namespace iprof::classpath {
namespace {

template <typename T>
void Put(Bytes* out, T value) {
  const size_t at = out->size();
  out->resize(at + sizeof value);
  std::memcpy(out->data() + at, &value, sizeof value);
}

void Append(Bytes* out, std::string_view text) {
  out->insert(out->end(), text.begin(), text.end());
}

struct Packed {
  Bytes bytes;
  uint64_t size = 0;
  uint32_t checksum = 0;
  uint16_t method = 0;
};

// What both headers of an entry have: version, flags, method, time, date, checksum, sizes.
void PutShared(Bytes* out, const Packed& packed, bool is_zip64) {
  Put<uint16_t>(out, 45);
  Put<uint16_t>(out, 0x0800);  // names in UTF-8
  Put<uint16_t>(out, packed.method);
  Put<uint32_t>(out, 0x00210000);
  Put<uint32_t>(out, packed.checksum);
  Put<uint32_t>(out, is_zip64 ? UINT32_MAX : static_cast<uint32_t>(packed.bytes.size()));
  Put<uint32_t>(out, is_zip64 ? UINT32_MAX : static_cast<uint32_t>(packed.size));
}

void PutCentral(Bytes* out, const TestEntry& entry, const Packed& packed, uint64_t position,
                bool is_zip64) {
  Append(out, "PK\1\2");
  Put<uint16_t>(out, 45);
  PutShared(out, packed, is_zip64);
  Put<uint16_t>(out, static_cast<uint16_t>(entry.name.size()));
  Put<uint16_t>(out, is_zip64 ? 4 + 4 + 24 : 0);  // the extra fields
  Put<uint16_t>(out, 0);                          // comment
  Put<uint16_t>(out, 0);                          // disk
  Put<uint16_t>(out, 0);                          // attributes
  Put<uint32_t>(out, 0);
  Put<uint32_t>(out, is_zip64 ? UINT32_MAX : static_cast<uint32_t>(position));
  Append(out, entry.name);
  if (!is_zip64) return;
  Put<uint32_t>(out, 0x0000CAFE);  // an empty field before the one that counts
  Put<uint16_t>(out, 1);
  Put<uint16_t>(out, 24);
  Put<uint64_t>(out, packed.size);
  Put<uint64_t>(out, packed.bytes.size());
  Put<uint64_t>(out, position);
}

void PutZip64End(Bytes* out, size_t count, uint64_t size, uint64_t start, uint64_t position) {
  Append(out, std::string_view("PK\6\6", 4));
  Put<uint64_t>(out, 44);
  Put<uint32_t>(out, 45 << 16 | 45);
  Put<uint64_t>(out, 0);  // disks
  Put<uint64_t>(out, count);
  Put<uint64_t>(out, count);
  Put<uint64_t>(out, size);
  Put<uint64_t>(out, start);
  Append(out, std::string_view("PK\6\7", 4));
  Put<uint32_t>(out, 0);
  Put<uint64_t>(out, position);
  Put<uint32_t>(out, 1);
}

}  // namespace

Bytes ToBytes(std::string_view text) { return {text.begin(), text.end()}; }
std::string ToText(const Bytes& bytes) { return {bytes.begin(), bytes.end()}; }

Bytes Deflated(std::string_view text, bool has_header) {
  Bytes packed(text.size() + 100);
  z_stream stream{};
  const int bits = has_header ? MAX_WBITS : -MAX_WBITS;
  [[maybe_unused]] int result =
      deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, bits, 8, Z_DEFAULT_STRATEGY);
  assert(result == Z_OK);
  Bytes source = ToBytes(text);
  stream.next_in = source.data();
  stream.avail_in = static_cast<uInt>(source.size());
  stream.next_out = packed.data();
  stream.avail_out = static_cast<uInt>(packed.size());
  result = deflate(&stream, Z_FINISH);
  assert(result == Z_STREAM_END);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

Bytes MakeArchive(const std::vector<TestEntry>& entries, const ArchiveForm& form) {
  Bytes out;
  Bytes directory;
  for (const TestEntry& entry : entries) {
    const Packed packed{
        .bytes = entry.is_deflated ? Deflated(entry.text, false) : ToBytes(entry.text),
        .size = entry.text.size(),
        .checksum = Crc32(ToBytes(entry.text)),
        .method = static_cast<uint16_t>(entry.is_deflated ? 8 : 0)};
    PutCentral(&directory, entry, packed, out.size(), form.is_zip64);
    Append(&out, "PK\3\4");
    PutShared(&out, packed, false);
    Put<uint16_t>(&out, static_cast<uint16_t>(entry.name.size()));
    Put<uint16_t>(&out, 0);
    Append(&out, entry.name);
    out.insert(out.end(), packed.bytes.begin(), packed.bytes.end());
  }
  const uint64_t start = out.size();
  out.insert(out.end(), directory.begin(), directory.end());
  const bool is_zip64 = form.is_zip64;
  if (is_zip64) PutZip64End(&out, entries.size(), directory.size(), start, out.size());
  Append(&out, std::string_view("PK\5\6", 4));
  Put<uint32_t>(&out, 0);  // disks
  Put<uint16_t>(&out, is_zip64 ? UINT16_MAX : static_cast<uint16_t>(entries.size()));
  Put<uint16_t>(&out, is_zip64 ? UINT16_MAX : static_cast<uint16_t>(entries.size()));
  Put<uint32_t>(&out, is_zip64 ? UINT32_MAX : static_cast<uint32_t>(directory.size()));
  Put<uint32_t>(&out, is_zip64 ? UINT32_MAX : static_cast<uint32_t>(start));
  Put<uint16_t>(&out, static_cast<uint16_t>(form.comment.size()));
  Append(&out, form.comment);
  out.insert(out.begin(), form.prefix.begin(), form.prefix.end());
  return out;
}

}  // namespace iprof::classpath
