// Hostile raw files: the tool reads them, makes a profile, and writes it. An input that begins as a raw
// file is one. Any other input is a sequence of records, each with its kind, length and content, that
// get their seals here, because a fuzzer seldom guesses a checksum.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "writer/base/sealed_bytes.h"
#include "writer/profile/io/reader.h"
#include "writer/profile/io/writer.h"
#include "writer/records/class_record_bytes.h"
#include "writer/records/context_samples.h"
#include "writer/records/raw/raw_harvest.h"
#include "writer/records/raw/raw_profile.h"
#include "writer/records/raw/raw_reader.h"
#include "writer/records/raw/raw_records.h"

namespace {

using iprof::RawContents;

// Kinds of what is no record of the log.
constexpr uint8_t kTail = 0;
constexpr uint8_t kHarvest = 9;
constexpr uint8_t kContexts = 10;

void WriteProfileOf(const RawContents& contents) {
  const iprof::RawProfile made = MakeRawProfile(contents);
  const auto text = WriteProfileText(made.profile, {.version = iprof::FormatVersion::k1_1_0});
  // A profile of ours is one that we can read.
  if (!text.ok() || !iprof::ReadProfileText(*text).ok()) std::abort();
}

// A class record has a seal of its own.
std::vector<uint8_t> BodyOf(uint8_t kind, std::span<const uint8_t> content) {
  std::vector<uint8_t> body{iprof::kRawRecordVersion};
  if (kind != kTail) body.push_back(kind);
  if (kind == static_cast<uint8_t>(iprof::RawRecordKind::kClass) && !content.empty()) {
    body.push_back(content[0] & 0x7f);  // the class's number
    std::vector<uint8_t> record{iprof::kClassRecordVersion};
    record.insert(record.end(), content.begin() + 1, content.end());
    iprof::AppendSealed(record, &body);
  } else {
    body.insert(body.end(), content.begin(), content.end());
  }
  return body;
}

// Empty if it makes no sense. Classes in it have no seals, so that they are those that a fuzzer was given.
std::vector<uint8_t> HarvestOf(std::span<const uint8_t> content) {
  std::vector<uint8_t> body{iprof::kRawHarvestVersion};
  body.insert(body.end(), content.begin(), content.end());
  std::vector<uint8_t> sealed;
  iprof::AppendSealed(body, &sealed);
  if (!iprof::ReadRawHarvest(sealed)) sealed.clear();
  return sealed;
}

// Stacks of calls and branches, without their digits, as a fuzzer seldom guesses these.
void AddContexts(std::span<const uint8_t> content, RawContents* contents) {
  const auto samples = iprof::ReadContextSamples(content);
  if (!samples) return;
  const std::string part = EncodeContextSamples(*samples);
  if (iprof::DecodeContextSamples(part) != samples) std::abort();
  contents->parts[std::string(iprof::kContextSamplesPart)] = part;
}

void ReadSequence(std::span<const uint8_t> data) {
  std::vector<uint8_t> log;
  std::vector<uint8_t> tail;
  std::span<const uint8_t> contexts;
  RawContents contents;
  while (data.size() >= 3) {
    const auto kind = static_cast<uint8_t>(data[0] % 11);
    const size_t length = std::min<size_t>(data[1] + size_t{data[2]} * 256, data.size() - 3);
    if (kind == kHarvest) contents.harvest = HarvestOf(data.subspan(3, length));
    if (kind == kContexts) contexts = data.subspan(3, length);
    std::vector<uint8_t>* const into = kind == kTail ? &tail : &log;
    if (kind == kTail) tail.clear();
    if (kind != kHarvest && kind != kContexts)
      iprof::AppendSealed(BodyOf(kind, data.subspan(3, length)), into);
    data = data.subspan(3 + length);
  }
  contents.header.image = log.size() % 2 == 0;
  // Most pairs have no record, so that otherwise no site would have types.
  contents.header.assembly.max_lost = log.size() % 8 == 0 ? 0.02 : 1;
  contents.counters.assign(64, 1000);
  contents.log = std::make_shared<const std::vector<uint8_t>>(std::move(log));
  const std::vector<uint64_t> numbers(32, 7);
  ReadRawRecords(*contents.log, {.pairs = numbers, .stacks = numbers}, &contents);
  ReadRawTail(tail, &contents);
  AddContexts(contexts, &contents);
  WriteProfileOf(contents);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::span<const uint8_t> bytes(data, size);
  if (!iprof::BeginsRawFile(bytes)) {
    ReadSequence(bytes);
    return 0;
  }
  iprof::RawMemoryBytes file(bytes);
  const auto contents = ReadRaw(file, "fuzz");
  if (contents.ok()) WriteProfileOf(*contents);
  return 0;
}
