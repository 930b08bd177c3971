#include "agent/vm/session/dump/run_record.h"

#include <sys/utsname.h>

#include <chrono>
#include <string>

#include "agent/vm/session/running_jvm.h"
#include "writer/profile/io/agent_section.h"

namespace iprof::vm {
namespace {

int64_t NowMs() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
}

std::string_view NameOf(CountSource source) {
  switch (source) {
    case CountSource::kCounters:
      return "counters";
    case CountSource::kMethodData:
      return "methoddata";
    case CountSource::kBoth:
      return "both";
  }
  return {};
}

}  // namespace

std::vector<std::string_view> TablesOf(const Options& options) {
  std::vector<std::string_view> tables;
  const auto add = [&](bool is_on, std::string_view what) {
    if (is_on) tables.push_back(what);
  };
  add(options.calls, "calls");
  add(options.branches, "branches");
  add(options.receivers, "receivers");
  add(options.monitors, "monitors");
  add(options.instance_ofs, "instanceofs");
  add(options.samples, "samples");
  add(options.alloc.bytes > 0, "allocations");
  add(options.lock.ns > 0, "locks");
  return tables;
}

void RunRecord::Learn(jvmtiEnv* jvmti, const Options& options) {
  facts_.agent = IPROF_VERSION;
  facts_.options = options.given;
  facts_.jvm_vendor = SystemProperty(jvmti, "java.vm.vendor");
  facts_.jvm_build = SystemProperty(jvmti, "java.vm.version");
  facts_.jvm_version = facts_.jvm_build.substr(0, facts_.jvm_build.find_first_of("+-"));
  utsname machine{};
  if (uname(&machine) == 0) facts_.architecture = machine.machine;
  facts_.program = PublicName(RunningProgram(jvmti));
  facts_.source = NameOf(options.source);
  for (const std::string_view table : TablesOf(options)) {
    if (!facts_.tables.empty()) facts_.tables += '+';
    facts_.tables += table;
  }
}

void RunRecord::Begin() {
  const std::lock_guard lock(mutex_);
  begin_ms_ = NowMs();
  if (start_ms_ == 0) start_ms_ = begin_ms_;
  if (!id_.is_known()) id_ = RunId::Make();
}

void RunRecord::Pause() {
  const std::lock_guard lock(mutex_);
  if (begin_ms_ == 0) return;
  end_ms_ = NowMs();
  recorded_ms_ += end_ms_ - begin_ms_;
  begin_ms_ = 0;
}

void RunRecord::Reset() {
  const std::lock_guard lock(mutex_);
  id_ = RunId::Make();
  recorded_ms_ = 0;
  start_ms_ = begin_ms_ = begin_ms_ == 0 ? 0 : NowMs();
}

RunNote RunRecord::Note() const {
  RunNote note = facts_;
  const std::lock_guard lock(mutex_);
  const int64_t now_ms = NowMs();
  note.run = id_.Text();
  note.start_ms = start_ms_;
  note.end_ms = begin_ms_ == 0 ? end_ms_ : now_ms;
  note.recorded_ms = recorded_ms_ + (begin_ms_ == 0 ? 0 : now_ms - begin_ms_);
  return note;
}

void NoteProvenance(const Options& options, const RunNote& note, Profile& profile) {
  if (!options.provenance) {
    profile.ForgetCodeHashes();
    profile.ForgetFirstCalls();
  } else {
    RunList runs;
    runs.Add(note);
    SetAgentPart(profile, kProvenancePart, runs.ToJson());
  }
}

}  // namespace iprof::vm
