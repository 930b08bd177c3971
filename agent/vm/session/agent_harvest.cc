// The command harvest. See agent.h.
#include <fmt/format.h>

#include "agent/vm/counting/swap_guard.h"
#include "agent/vm/harvest/own_harvest.h"
#include "agent/vm/jvmti/jdk_version.h"
#include "agent/vm/jvmti/lock_within.h"
#include "agent/vm/session/agent.h"
#include "agent/vm/session/profile_dump.h"
#include "writer/io/code_part.h"
#include "writer/io/position_part.h"
#include "writer/raw/profile_sink.h"

namespace iprof::vm {

using control::Verb;

namespace {

// Why HotSpot's counters are not those of the program's own code, or success.
Status WhyNotOwnCode(Session* session, SessionState state, Verb verb) {
  if (session == nullptr || session->changes_code() == CodeChange::kNone) return {};
  if (state != SessionState::kStopped) {
    return {Code::kUsage,
            verb == Verb::kRefresh
                ? "the agent counts in this JVM itself: 'iprof reset' lets its profile begin anew"
                : "the agent counts in this JVM itself, and HotSpot counts the code with its "
                  "probes: take the agent's profile instead (iprof dump)"};
  }
  // Hidden classes keep their probes: their methods are harvested with calls only. So are those of classes
  // that could not be restored, which are few.
  if (session->changes_code() == CodeChange::kForGood) {
    return {Code::kUsage,
            "the agent has counted in this JVM and was stopped, but the classes keep its probes, "
            "because "
            "another agent follows it on the command line: take the agent's profile instead (iprof "
            "dump), or name iprofagent last"};
  }
  if (verb == Verb::kRefresh && SwapGuard::IsNeededIn(JdkVersion(session->environment().get()))) {
    return {Code::kUsage,
            "the agent has counted in this JVM and was stopped: before JDK 20, the swaps of its "
            "classes cannot be told from a hot swap, which a refresh would undo. 'iprof start' and "
            "then 'iprof stop' let HotSpot count the classes anew, too"};
  }
  return {};
}

}  // namespace

Result<Profile> Agent::OwnCounters(JNIEnv* jni, const control::Command& command) {
  if (HasEnded()) return Status(Code::kUsage, "the program is ending");
  const auto current = session();
  if (Status status = WhyNotOwnCode(current.get(), state(), command.verb); !status.ok())
    return status;
  JavaVM* vm = nullptr;
  if (jni->GetJavaVM(&vm) != JNI_OK) return Status(Code::kInternal, "the JVM does not answer");
  Options options;
  options.source = CountSource::kMethodData;
  options.instance_ofs = true;
  options.estimate = command.estimate;
  Profile profile;
  profile.AddStandardTypes();
  ProfileSink sink(profile);
  const Result<std::string> added =
      WriteOwnHarvest(vm,
                      {.options = options,
                       .target_jdk = static_cast<int>(command.target),
                       .most_bytes = MostHarvestBytes(options),
                       .max_lost = static_cast<double>(command.receivers_max_lost) / 1000,
                       .has_ended = [this] { return HasEnded(); }},
                      nullptr, sink);
  if (!added.ok()) return Status(Code::kUnsupported, "this JVM " + added.status().message());
  return profile;
}

// Needs neither callbacks nor capabilities nor a session. So a tool can load the library for this command
// alone, and nothing of it runs afterwards.
Result<std::string> Agent::Harvest(JNIEnv* jni, const control::Command& command) {
  const std::unique_lock lock = LockWithin(dump_mutex_, kPatience);
  if (!lock) return StillWriting();
  Result<Profile> profile = OwnCounters(jni, command);
  if (!profile.ok()) return profile.status();
  NoteCodeHashes(*profile);
  WritePositionNotes(*profile);
  DumpTarget target{.path = command.out, .overwrite = true, .format = {}};
  target.format.version = FormatVersion::k1_1_0;
  const Result<DumpedFile> file = DumpProfile(*profile, target);
  if (!file.ok()) return file.status();
  return fmt::format("wrote {}", file->path);
}

}  // namespace iprof::vm
