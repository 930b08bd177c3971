// ProfileFiles: the files of one session's profiles: which name each gets, and what happens to them at the
// end.
//
// The name is claimed when something is recorded, not before: a JVM that waits for a start has no file.
// Without merge=y the session's file is the name that it has claimed. With merge=y the claimed name is that
// of the session's own file, and Finish adds this to the file that all JVMs share.
//
// Guarantees: a file is written only while no other live JVM has a claim on its name; else the profile gets
// a number. Uses no JVM types, so it can be tested without one.
// Threads: Claim, Write and Finish one at a time; the rest on any thread.
// Failure: Claim and Write return a Status; Finish logs.
#pragma once

#include <chrono>
#include <mutex>
#include <string>

#include "agent/settings/log.h"
#include "agent/settings/options.h"
#include "agent/settings/out_claim.h"
#include "agent/vm/session/dump/profile_dump.h"
#include "writer/base/status.h"
#include "writer/profile/model.h"

namespace iprof::vm {

// Whose a file name is: this session has a claim on it, or it must be claimed while it is written.
enum class NameOwner : uint8_t { kSession, kNobody };

class ProfileFiles {
 public:
  // `asked`: where the user wants the profile; absolute. The options must outlive this object.
  ProfileFiles(const Options& options, std::string asked)
      : options_(options), out_(std::move(asked)) {}

  // Claims the name of the session's profile, and logs if that is another one than the user asked for.
  // Later calls change nothing.
  Status Claim(Log& log);

  // Where the session's profile goes in the end. Before the claim: where the user wants it.
  std::string out() const;
  // This JVM's own name for everything that it writes beside its profile, such as the raw file.
  std::string own_path() const;

  Result<DumpedFile> Write(const Profile& profile, const std::string& path, NameOwner owner);

  // After the last profile: adds it to the shared one, and gives up the name. How long it may wait for
  // other JVMs: `patience`.
  void Finish(Log& log, std::chrono::milliseconds patience);
  // Gives up the name only.
  void Release();

 private:
  WriteOptions FormatOf(bool gzip) const;
  bool IsClaimed() const;

  const Options& options_;
  mutable std::mutex mutex_;  // guards the next two
  std::string out_;
  OutClaim claim_;
  std::string
      to_merge_;  // what was written of this session and must be added to out_; empty: nothing
};

}  // namespace iprof::vm
