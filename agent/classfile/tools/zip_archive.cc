#include "agent/classfile/tools/zip_archive.h"

#include <zlib.h>

#include <algorithm>

namespace iprof::classfile {

namespace {

uint32_t Le2(const uint8_t* p) { return p[0] | uint32_t{p[1]} << 8; }
uint32_t Le4(const uint8_t* p) { return Le2(p) | Le2(p + 2) << 16; }

void PutLe2(std::vector<uint8_t>* out, uint32_t v) {
  out->push_back(static_cast<uint8_t>(v));
  out->push_back(static_cast<uint8_t>(v >> 8));
}
void PutLe4(std::vector<uint8_t>* out, uint32_t v) {
  PutLe2(out, v & 0xFFFF);
  PutLe2(out, v >> 16);
}

constexpr uint32_t kLocal = 0x04034B50;
constexpr uint32_t kCentral = 0x02014B50;
constexpr uint32_t kEnd = 0x06054B50;

bool Inflate(const uint8_t* from, size_t size, std::vector<uint8_t>* to) {
  z_stream stream{};
  if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) return false;
  stream.next_in = const_cast<uint8_t*>(from);
  stream.avail_in = static_cast<uInt>(size);
  stream.next_out = to->data();
  stream.avail_out = static_cast<uInt>(to->size());
  const int result = inflate(&stream, Z_FINISH);
  const bool whole = result == Z_STREAM_END && stream.avail_out == 0;
  inflateEnd(&stream);
  return whole;
}

}  // namespace

bool ReadZip(const std::vector<uint8_t>& file, std::vector<ZipEntry>* out, std::string* error) {
  const size_t size = file.size();
  const uint8_t* const base = file.data();
  const auto fail = [error](const char* what) {
    *error = what;
    return false;
  };
  if (size < 22) return fail("not a zip archive");
  size_t end = size - 22;
  const size_t lowest = end > 65535 ? end - 65535 : 0;
  while (Le4(base + end) != kEnd) {
    if (end == lowest) return fail("not a zip archive: no end of central directory");
    --end;
  }
  const uint32_t count = Le2(base + end + 10);
  const size_t directory_size = Le4(base + end + 12);
  const size_t directory_offset = Le4(base + end + 16);
  if (directory_size + directory_offset > end) return fail("central directory outside the file");
  const size_t prefix = end - directory_size - directory_offset;
  size_t at = prefix + directory_offset;
  for (uint32_t k = 0; k < count; ++k) {
    if (at + 46 > end || Le4(base + at) != kCentral) return fail("damaged central directory");
    const uint8_t* const p = base + at;
    const uint32_t method = Le2(p + 10);
    const size_t packed = Le4(p + 20);
    const size_t unpacked = Le4(p + 24);
    const size_t name_size = Le2(p + 28);
    const size_t local = prefix + Le4(p + 42);
    at += 46 + name_size + Le2(p + 30) + Le2(p + 32);
    if (at > end || local + 30 > size || Le4(base + local) != kLocal) {
      return fail("damaged zip entry");
    }
    ZipEntry entry;
    entry.name.assign(reinterpret_cast<const char*>(p + 46), name_size);
    if (entry.name.empty() || entry.name.back() == '/') continue;
    const size_t data = local + 30 + Le2(base + local + 26) + Le2(base + local + 28);
    if (data + packed > size || unpacked > packed * 1100 + 64) return fail("damaged zip entry");
    entry.bytes.resize(unpacked);
    if (method == 0) {
      if (packed != unpacked) return fail("stored entry of two sizes");
      std::copy_n(base + data, unpacked, entry.bytes.begin());
    } else if (method != 8) {
      return fail("zip entry of an unknown compression");
    } else if (unpacked != 0 && !Inflate(base + data, packed, &entry.bytes)) {
      return fail("zip entry does not inflate");
    }
    out->push_back(std::move(entry));
  }
  return true;
}

bool WriteZip(const std::vector<ZipEntry>& entries, std::vector<uint8_t>* out, std::string* error) {
  if (entries.size() >= 65535) {
    *error = "more than 65,534 entries";
    return false;
  }
  std::vector<uint8_t> directory;
  for (const ZipEntry& e : entries) {
    const auto offset = static_cast<uint32_t>(out->size());
    const auto size = static_cast<uint32_t>(e.bytes.size());
    const auto crc = static_cast<uint32_t>(crc32(0, e.bytes.data(), static_cast<uInt>(size)));
    // The fields that both headers share: version, flags (UTF-8 names), method, time, date.
    const auto shared = [&](std::vector<uint8_t>* to) {
      PutLe2(to, 20);
      PutLe2(to, 0x0800);
      PutLe2(to, 0);
      PutLe2(to, 0);
      PutLe2(to, 0x21);
      PutLe4(to, crc);
      PutLe4(to, size);
      PutLe4(to, size);
      PutLe2(to, static_cast<uint32_t>(e.name.size()));
      PutLe2(to, 0);
    };
    PutLe4(out, kLocal);
    shared(out);
    out->insert(out->end(), e.name.begin(), e.name.end());
    out->insert(out->end(), e.bytes.begin(), e.bytes.end());
    PutLe4(&directory, kCentral);
    PutLe2(&directory, 20);
    shared(&directory);
    PutLe2(&directory, 0);
    PutLe2(&directory, 0);
    PutLe2(&directory, 0);
    PutLe4(&directory, 0);
    PutLe4(&directory, offset);
    directory.insert(directory.end(), e.name.begin(), e.name.end());
    if (out->size() > 0xF0000000u) {
      *error = "archive beyond 4 GiB";
      return false;
    }
  }
  const auto start = static_cast<uint32_t>(out->size());
  out->insert(out->end(), directory.begin(), directory.end());
  PutLe4(out, kEnd);
  PutLe4(out, 0);
  PutLe2(out, static_cast<uint32_t>(entries.size()));
  PutLe2(out, static_cast<uint32_t>(entries.size()));
  PutLe4(out, static_cast<uint32_t>(directory.size()));
  PutLe4(out, start);
  PutLe2(out, 0);
  return true;
}

}  // namespace iprof::classfile
