#include "cli/live/harvest_process.h"

#include <fcntl.h>
#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "agent/harvest/harvest.h"
#include "agent/harvest/harvest_facts.h"
#include "agent/harvest/profiling_mode.h"
#include "agent/hotspot/file_memory.h"
#include "agent/hotspot/process_libraries.h"
#include "agent/hotspot/process_memory.h"
#include "agent/hotspot/remote_jvm.h"
#include "agent/hotspot/unchanged_memory.h"
#include "cli/jvm/memory_rights.h"
#include "cli/jvm/running_jvm.h"

namespace iprof::cli {
namespace {

// A process that is younger may be a JVM that is not ready yet.
constexpr int64_t kYoung_s = 20;
constexpr std::chrono::milliseconds kBetweenAttempts{50};

enum class Why : uint8_t {
  kFinal,      // it will not be different later
  kNoLibrary,  // libjvm.so is not loaded
  kNoTables,   // libjvm.so has not HotSpot's tables
  kNotReady,   // something in HotSpot is missing or does not fit
};

struct Refusal {
  Why why = Why::kFinal;
  Status status;  // without a subject where it is not ready
};

std::chrono::seconds PatienceFor(Why why) {
  switch (why) {
    case Why::kFinal:
      break;
    case Why::kNoLibrary:
    case Why::kNoTables:
      return std::chrono::seconds(2);  // a JVM loads it at once
    case Why::kNotReady:
      return std::chrono::seconds(5);
  }
  return std::chrono::seconds(0);
}

int64_t AgeOf(const jvm::Process& process) {
  const Result<std::string> stat = process.Read("stat");
  return stat.ok() ? hotspot::AgeSeconds(*stat) : 0;
}

Status Explain(const jvm::Process& process, const Refusal& refusal, int64_t age_s) {
  const bool is_young = age_s < kYoung_s;
  const std::string& message = refusal.status.message();
  const Code code = refusal.status.code();
  if (refusal.why == Why::kFinal) return refusal.status;
  if (refusal.why == Why::kNoTables) return {code, process.Name() + " " + message};
  if (refusal.why == Why::kNotReady) {
    const bool is_its_age = is_young && code != Code::kNothingYet;
    return {code, is_its_age ? fmt::format("{} {}; it has run for {} s only: try again soon",
                                           process.Name(), message, age_s)
                             : fmt::format("{} {}", process.Name(), message)};
  }
  if (!is_young) return refusal.status;
  return {code,
          fmt::format("{} is not a JVM, or has only just started: no libjvm.so is loaded in it",
                      process.Name())};
}

// A file as the process sees it, or, where that is not the one that it has mapped, by the mapping itself, which needs more
// rights.
std::unique_ptr<hotspot::Memory> OpenMapped(const jvm::Process& process,
                                            const hotspot::MappedPart& part) {
  if (!part.is_deleted) {
    const Result<OwnedFd> root = process.OpenFolder("root");
    if (root.ok()) {
      Result<OwnedFd> file = OpenWithin(root->get(), part.path, O_RDONLY, FileKind::kRegular);
      if (file.ok()) return hotspot::FileMemory::Of(std::move(*file));
    }
  }
  return hotspot::FileMemory::Of(process.OpenMapping(part.at, part.at + part.size));
}

bool IsReadable(const hotspot::ProcessMemory& memory, const std::vector<hotspot::Address>& bases) {
  return std::all_of(bases.begin(), bases.end(), [&](hotspot::Address base) {
    char byte = 0;
    return memory.Read(base, &byte, 1);
  });
}

Result<ProcessHarvest> TryHarvest(const jvm::Process& process, int naming_jdk, Refusal* refusal) {
  const auto refuse = [&](Why why, const Status& status) {
    *refusal = {why, status};
    return status;
  };
  const Result<std::string> maps = process.Read("maps");
  if (!maps.ok()) return refuse(Why::kFinal, maps.status());
  const bool has_library = jvm::KindOfJvm(jvm::MappedFiles(*maps)) != jvm::JvmKind::kNone;
  const Result<jvm::RunningJvm> jvm = jvm::LookAt(process);
  if (!jvm.ok()) {
    const bool lacks_library = !has_library && jvm.status().code() == Code::kUnsupported;
    return refuse(lacks_library ? Why::kNoLibrary : Why::kFinal, jvm.status());
  }
  const hotspot::ProcessMemory memory(process.pid());
  const std::vector<hotspot::Address> bases = hotspot::BasesOf("libjvm.so", *maps);
  if (!IsReadable(memory, bases)) return refuse(Why::kFinal, jvm::WhyUnreadable(process));
  const auto remote = hotspot::RemoteJvm::Open(memory, bases);
  if (!remote.ok()) {
    const bool lacks_tables = remote.status().message() == hotspot::kNoTables;
    return refuse(lacks_tables ? Why::kNoTables : Why::kNotReady, remote.status());
  }
  const hotspot::RemoteJvm& target = **remote;
  const hotspot::UnchangedMemory unchanged(
      hotspot::MappedParts(*maps),
      [&](const hotspot::MappedPart& part) { return OpenMapped(process, part); });
  auto program =
      hotspot::HarvestProgram(memory, target.layout(), target.flags(), naming_jdk, {}, &unchanged);
  if (!program.ok()) {
    const Status& status = program.status();
    if (!hotspot::RunsWithoutProfiling(target.flags())) return refuse(Why::kNotReady, status);
    return refuse(Why::kFinal, {status.code(), process.Name() + " " + status.message()});
  }

  ProcessHarvest harvest;
  harvest.program = std::move(*program);
  harvest.main_class = jvm->program;
  harvest.public_program = jvm->public_program;
  harvest.jdk_version = jvm->jdk_version;
  harvest.note = hotspot::NoteOf(*harvest.program, AgeOf(process));
  const Result<std::string> stat = process.Read("stat");
  if (stat.ok()) harvest.note.cpu_ms = hotspot::CpuMs(*stat);  // read after the counters
  return harvest;
}

}  // namespace

Status CheckReadable(const jvm::Process& process) {
  const Result<std::string> maps = process.Read("maps");
  if (!maps.ok()) return maps.status();
  const hotspot::ProcessMemory memory(process.pid());
  return IsReadable(memory, hotspot::BasesOf("libjvm.so", *maps)) ? Status()
                                                                  : jvm::WhyUnreadable(process);
}

int64_t ProcessorTimeUs() {
  timespec used{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
  return int64_t{used.tv_sec} * 1'000'000 + used.tv_nsec / 1000;
}

Result<ProcessHarvest> HarvestProcess(const jvm::Process& process, int naming_jdk) {
  const auto start = std::chrono::steady_clock::now();
  while (true) {
    Refusal refusal;
    const int64_t before_us = ProcessorTimeUs();
    Result<ProcessHarvest> harvest = TryHarvest(process, naming_jdk, &refusal);
    if (harvest.ok()) {
      harvest->read_us = ProcessorTimeUs() - before_us;
      return harvest;
    }
    // A process that is ending lacks something, and that is not what fails.
    const Result<jvm::ProcessStatus> status = process.ReadStatus();
    if (!status.ok()) return status.status();
    if (status->has_ended() || !status->has_memory) return process.WithoutMemory();
    const int64_t age_s = AgeOf(process);
    const auto waited = std::chrono::steady_clock::now() - start;
    if (age_s >= kYoung_s || waited >= PatienceFor(refusal.why))
      return Explain(process, refusal, age_s);
    std::this_thread::sleep_for(kBetweenAttempts);
  }
}

}  // namespace iprof::cli
