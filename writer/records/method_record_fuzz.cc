// For any bytes, decoding stays inside its input; what it accepts can be derived and encodes to
// equal content. The checksum is corrected for a second try, so that the fuzzer gets past it.
#include <cstdlib>

#include "writer/records/method_record.h"

namespace {

void Try(std::span<const uint8_t> bytes) {
  iprof::MethodRecord record, again;
  size_t consumed = 0;
  std::vector<uint64_t> values;
  for (;;) {
    const iprof::MethodRecordStatus status = iprof::DecodeMethodRecord(bytes, &record, &consumed);
    if (consumed > bytes.size()) abort();
    if (status == iprof::MethodRecordStatus::kRecord) {
      if (!iprof::IsWellFormed(record.derivation)) abort();
      values.assign(record.derivation.value_count(), 3);
      iprof::Derive(record.derivation, values);
      iprof::BoundOf(record.certificate, values, 1);
      std::vector<uint8_t> encoded;
      iprof::EncodeMethodRecord(record, &encoded);
      size_t used = 0;
      if (iprof::DecodeMethodRecord(encoded, &again, &used) != status || !(again == record))
        abort();
    }
    if (consumed == 0) return;
    bytes = bytes.subspan(consumed);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  Try({data, size});
  if (size == 0 || size > 100'000) return 0;
  std::vector<uint8_t> sealed;
  size_t length = size;
  for (; length >= 0x80; length >>= 7) sealed.push_back(static_cast<uint8_t>(length | 0x80));
  sealed.push_back(static_cast<uint8_t>(length));
  uint32_t hash = 2166136261u;
  for (size_t i = 0; i < size; ++i) hash = (hash ^ data[i]) * 16777619u;
  sealed.insert(sealed.end(), data, data + size);
  for (int i = 0; i < 4; ++i) sealed.push_back(static_cast<uint8_t>(hash >> (8 * i)));
  Try(sealed);
  return 0;
}
