// harvest_records PID: prints what the reader sees in a JVM, record by record, for tests:
//
//   method CLASS NAME DESCRIPTOR CALLS CODE     CALLS as the JVM counted them; CODE in hexadecimal
//   branch BCI TAKEN NOT-TAKEN                  the records of that method
//   switch BCI COUNT… DEFAULT
//   count BCI COUNT                             a call with a known callee
//   jump BCI COUNT
//   call|check BCI UNLISTED CLASS=COUNT…        receivers, or the classes of a type check
//   other BCI TAG
//   unknown CLASS NAME DESCRIPTOR WHY           a method whose code or records were not understood
//
// Classes are HotSpot's symbols. Methods without MethodData have no records; methods without code are
// left out.
//
// harvest_records PID --image FILE: writes the memory that a harvest reads, as a RecordedImage.
#include <fmt/core.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <map>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "agent/harvest/harvest.h"
#include "agent/harvest/recorded_image.h"
#include "agent/hotspot/block_cache.h"
#include "agent/hotspot/metadata.h"
#include "agent/hotspot/method_data.h"
#include "agent/hotspot/original_code.h"
#include "agent/hotspot/process_libraries.h"
#include "agent/hotspot/process_memory.h"
#include "agent/hotspot/remote_jvm.h"
#include "agent/hotspot/text_store.h"

namespace iprof::hotspot {
namespace {

int Fail(const std::string& why) {
  std::cerr << "harvest_records: " << why << "\n";
  return 1;
}

std::string MapsOf(const std::string& pid) {
  std::ifstream file("/proc/" + pid + "/maps");
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

class Records {
 public:
  Records(const Memory& memory, const RemoteJvm& jvm, bool has_extra_cell)
      : cache_(memory), metadata_(cache_, jvm.layout(), texts_) {
    shape_.type_rows = static_cast<uint32_t>(
        std::min<uint64_t>(jvm.flags().Number("TypeProfileWidth").value_or(2), kMostTypeRows));
    shape_.ret_rows = static_cast<uint32_t>(jvm.flags().Number("BciProfileWidth").value_or(2));
    shape_.has_extra_cell = has_extra_cell;
  }

  int Print() {
    const auto classes = metadata_.Classes();
    if (!classes) return Fail("the classes cannot be read");
    for (const ListedClass& klass : *classes) names_.emplace(klass.at, klass.name);
    for (const ListedClass& klass : *classes) {
      if (!klass.is_instance) continue;
      const auto methods = metadata_.MethodsOf(klass);
      if (!methods) return Fail(fmt::format("{}: its methods cannot be read", klass.name));
      for (const ListedMethod& method : *methods) {
        if (!method.is_old && method.code_size > 0) PrintMethod(klass, method);
      }
    }
    return 0;
  }

 private:
  void PrintMethod(const ListedClass& klass, const ListedMethod& method) {
    const auto unknown = [&](std::string_view why) {
      fmt::print("unknown {} {} {} {}\n", klass.name, method.name, method.descriptor, why);
    };
    const auto pool = metadata_.ReadPool(method.pool);
    if (!pool) return unknown("pool");
    std::optional<PoolCache> cache;
    if (pool->cache != 0) cache.emplace(metadata_, *pool);
    OriginalCode code;
    if (!ReadOriginalCode(metadata_, method, *pool, cache ? &*cache : nullptr,
                          ReadBreakpoints(metadata_, klass.at, method), &code))
      return unknown("code");
    std::vector<uint64_t> words;
    uint64_t calls = method.invocations;
    if (method.data != 0) {
      const auto& layout = metadata_.layout().data;
      const auto size = metadata_.memory().Load<int32_t>(method.data + layout.data_size);
      const auto counted = metadata_.memory().Load<uint32_t>(method.data + layout.invocations);
      if (!size || *size < 0 || *size > (8 << 20) || !counted) return unknown("size");
      calls += *counted >> metadata_.layout().counters.shift;
      words.resize(static_cast<size_t>(*size) / 8);
      if (!metadata_.memory().Read(method.data + layout.data, words.data(), words.size() * 8))
        return unknown("data");
    }
    const auto records = SplitMethodData(words, shape_);
    if (!records) return unknown("records");
    fmt::print("method {} {} {} {} ", klass.name, method.name, method.descriptor, calls);
    for (const uint8_t byte : code.bytes) fmt::print("{:02x}", byte);
    fmt::print("\n");
    for (const DataRecord& record : *records) PrintRecord(record);
  }

  void PrintRecord(const DataRecord& record) {
    switch (record.tag) {
      case DataTag::kBranch:
      case DataTag::kMultiBranch:
        fmt::print("{} {}", record.tag == DataTag::kBranch ? "branch" : "switch", record.bci);
        for (const uint64_t count : ReadEdges(record)) fmt::print(" {}", count);
        fmt::print("\n");
        return;
      case DataTag::kCounter:
      case DataTag::kCallType:
      case DataTag::kJump:
        fmt::print("{} {} {}\n", record.tag == DataTag::kJump ? "jump" : "count", record.bci,
                   ReadCount(record).value_or(0));
        return;
      case DataTag::kReceiverType:
      case DataTag::kVirtualCall:
      case DataTag::kVirtualCallType: {
        const TypeRows rows = ReadTypeRows(record, shape_);
        fmt::print("{} {} {}", record.tag == DataTag::kReceiverType ? "check" : "call", record.bci,
                   rows.unlisted);
        for (const TypeRow& row : rows.rows()) {
          const auto name = names_.find(row.klass);
          fmt::print(" {}={}", name == names_.end() ? "?" : name->second, row.count);
        }
        fmt::print("\n");
        return;
      }
      default:
        fmt::print("other {} {}\n", record.bci, static_cast<int>(record.tag));
    }
  }

  BlockCache cache_;
  TextStore texts_;
  Metadata metadata_;
  DataShape shape_;
  std::map<Address, std::string_view> names_;
};

int Run(const std::string& pid, const char* image) {
  const ProcessMemory memory(static_cast<pid_t>(std::strtol(pid.c_str(), nullptr, 10)));
  RecordingMemory recording(memory);
  recording.image().maps = MapsOf(pid);
  const auto jvm = RemoteJvm::Open(recording, BasesOf("libjvm.so", recording.image().maps));
  if (!jvm.ok()) return Fail(jvm.status().message());
  const auto program = HarvestProgram(recording, (*jvm)->layout(), (*jvm)->flags(), 0);
  if (!program.ok()) return Fail(program.status().message());
  if (image == nullptr) return Records(memory, **jvm, (*program)->has_extra_cell).Print();
  std::ofstream file(image, std::ios::binary);
  recording.image().Save(file);
  file.close();
  return file ? 0 : Fail(fmt::format("{} cannot be written", image));
}

}  // namespace
}  // namespace iprof::hotspot

int main(int argc, char** argv) {
  if (argc == 2) return iprof::hotspot::Run(argv[1], nullptr);
  if (argc == 4 && std::string_view(argv[2]) == "--image")
    return iprof::hotspot::Run(argv[1], argv[3]);
  return iprof::hotspot::Fail("usage: harvest_records PID [--image FILE]");
}
