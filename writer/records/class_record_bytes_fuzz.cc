// For any bytes, decoding of class records stays inside its input. What it accepts
// encodes to equal content and can be assembled into a profile. The input is also sealed for a
// second try, so that the fuzzer gets past the checksum.
#include <cstdlib>

#include "writer/records/class_record_bytes.h"
#include "writer/records/method_lines.h"
#include "writer/records/position_map.h"
#include "writer/records/profile_assembly.h"

namespace {

using namespace iprof;

void Assemble(const ClassRecord& record) {
  Profile profile;
  profile.AddStandardTypes();
  const std::vector<uint64_t> counters(64, 5);
  TypeCounts types;
  for (uint32_t site = 0; site < 16; ++site) types.Add(site, "a.B", 3);
  AssembleProfile(RecordedClasses({&record}),
                  {counters, types, [](const MethodKey&) { return uint64_t{0}; }},
                  {.monitors = true}, profile);
  std::vector<LineStart> lines;
  for (const CountedMethod& method : record.methods) {
    if (method.rewritten)
      OriginalPosition(std::span(record.positions).subspan(method.positions), 17);
    if (method.has_lines) ReadLines(std::span(record.lines).subspan(method.lines), &lines);
  }
}

void TryClass(std::span<const uint8_t> bytes) {
  ClassRecord record;
  size_t consumed = 0;
  const SealStatus status = DecodeClassRecord(bytes, &record, &consumed);
  if (consumed > bytes.size()) abort();
  if (status != SealStatus::kRecord) return;
  std::vector<uint8_t> encoded;
  EncodeClassRecord(record, &encoded);
  ClassRecord again;
  if (DecodeClassRecord(encoded, &again, &consumed) != SealStatus::kRecord) abort();
  if (!(again == record)) abort();
  Assemble(record);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size > 100'000) return 0;
  const std::span<const uint8_t> bytes(data, size);
  TryClass(bytes);
  std::vector<uint8_t> body{kClassRecordVersion};
  body.insert(body.end(), bytes.begin(), bytes.end());
  std::vector<uint8_t> sealed;
  AppendSealed(body, &sealed);
  TryClass(sealed);
  return 0;
}
