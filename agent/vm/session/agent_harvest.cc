// The command harvest. See agent.h.
#include <fmt/core.h>

#include "agent/vm/classes/swap_guard.h"
#include "agent/vm/jvmti/jdk_version.h"
#include "agent/vm/jvmti/lock_within.h"
#include "agent/vm/session/agent.h"
#include "agent/vm/session/dump/profile_dump.h"
#include "agent/vm/session/own_harvest.h"
#include "writer/profile/image/write_for_image.h"
#include "writer/profile/io/code_part.h"
#include "writer/profile/io/position_part.h"
#include "writer/records/raw/profile_sink.h"

namespace iprof::vm {

// Why HotSpot's counters are not those of the program's own code, or success.
Status Agent::WhyNotOwnCode(bool refreshes) const {
  const auto current = session();
  if (current == nullptr || current->changes_code() == CodeChange::kNone) return {};
  if (state() != SessionState::kStopped) {
    return {Code::kUsage,
            refreshes
                ? "the agent counts in this JVM itself: 'iprof reset' lets its profile begin again"
                : "the agent counts in this JVM itself, and HotSpot counts the code with its "
                  "probes: take the agent's profile instead (iprof dump)"};
  }
  // Hidden classes keep their probes: their methods are harvested with calls only. So are those of classes
  // that could not be restored, which are few.
  if (current->changes_code() == CodeChange::kForGood) {
    return {Code::kUsage,
            "the agent has counted in this JVM and was stopped, but the classes keep its probes, "
            "because "
            "another agent follows it on the command line: take the agent's profile instead (iprof "
            "dump), or name iprofagent last"};
  }
  if (refreshes && SwapGuard::IsNeededIn(JdkVersion(current->environment().get()))) {
    return {Code::kUsage,
            "the agent has counted in this JVM and was stopped: before JDK 20, the swaps of its "
            "classes cannot be told from a hot swap, which a refresh would undo. 'iprof start' and "
            "then 'iprof stop' let HotSpot count the classes again, too"};
  }
  return {};
}

Result<Profile> Agent::OwnCounters(JNIEnv* jni, const control::Harvest& wish) {
  JavaVM* vm = nullptr;
  if (jni->GetJavaVM(&vm) != JNI_OK) return Status(Code::kInternal, "the JVM does not answer");
  Options options;
  options.source = CountSource::kMethodData;
  options.instance_ofs = true;
  options.estimate = wish.estimate;
  Profile profile;
  profile.AddStandardTypes();
  ProfileSink sink(profile);
  const Result<std::string> added =
      WriteOwnHarvest(vm,
                      {.options = options,
                       .target_jdk = static_cast<int>(wish.target),
                       .most_bytes = MostHarvestBytes(options),
                       .max_lost = static_cast<double>(wish.receivers_max_lost) / 1000,
                       .has_ended = [this] { return HasEnded(); }},
                      nullptr, sink);
  if (!added.ok()) return Status(Code::kUnsupported, "this JVM " + added.status().message());
  return profile;
}

// Needs neither callbacks nor capabilities nor a session. So a tool can load the library for this command
// alone, and nothing of it runs afterwards.
Result<std::string> Agent::Harvest(JNIEnv* jni, const control::Harvest& wish, Caller* caller) {
  std::unique_lock lock = LockWithin(dump_mutex_, kPatience);
  if (!lock) return StillWriting();
  if (HasEnded()) return Status(Code::kUsage, "the program is ending");
  if (Status status = WhyNotOwnCode(/*refreshes=*/false); !status.ok()) return status;
  Result<Profile> profile = OwnCounters(jni, wish);
  if (!profile.ok()) return profile.status();
  NoteCodeHashes(*profile);
  WritePositionNotes(*profile);
  DumpTarget target{.path = wish.out, .overwrite = true, .format = {}};
  target.format.version = FirstVersionWith(Table::kInstanceOfs);
  if (wish.sent == control::Sent::kNo) {
    const Result<DumpedFile> file = DumpProfile(*profile, target);
    if (!file.ok()) return file.status();
    return fmt::format("wrote {}", file->path);
  }
  if (caller == nullptr) return Status(Code::kUsage, "no tool takes the profile");
  target.format.gzip = wish.sent == control::Sent::kGzip;
  lock.unlock();  // the program's end must not wait for the tool
  Status sent = WriteForImage(*profile, target.format, caller->profile()).status();
  if (!sent.ok()) return sent;
  // It is the tool's: nothing of it is kept here.
  return caller->HasSaved() ? Result<std::string>(std::string())
                            : Status(Code::kIo, "the tool has not saved the profile");
}

}  // namespace iprof::vm
