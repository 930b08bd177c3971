// ProfileFiles: the files of one session's profiles: which name each gets, and what happens to them at the
// end.
//
// Without merge=y the session's file is the name that it has claimed. With merge=y the claimed name is that
// of the session's own file, and Finish adds this to the file that all JVMs share.
//
// Guarantees: a file is written only while no other live JVM has a claim on its name; else the profile gets
// a number. Uses no JVM types, so it can be tested without one.
// Threads: Write and Finish one at a time; own_path on any thread.
// Failure: Write returns a Status; Finish logs.
#pragma once

#include <chrono>
#include <string>

#include "agent/vm/session/profile_dump.h"
#include "agent/vm/settings/log.h"
#include "agent/vm/settings/options.h"
#include "agent/vm/settings/out_claim.h"
#include "writer/base/status.h"
#include "writer/model/model.h"

namespace iprof::vm {

// Whose a file name is: this session has a claim on it, or it must be claimed while it is written.
enum class NameOwner : uint8_t { kSession, kNobody };

class ProfileFiles {
 public:
  // Claims the name of a session's profile; `path` is absolute. Logs if it gets another one.
  static Result<OutClaim> Claim(const Options& options, const std::string& path, Log& log);

  // `asked`: the path that the claim was made for. Without a claim it is used as it is. The options must
  // outlive this object.
  ProfileFiles(const Options& options, const std::string& asked, OutClaim claim);

  // Where the session's profile goes in the end.
  const std::string& out() const { return out_; }
  // This JVM's own name for everything that it writes beside its profile, such as the raw file.
  const std::string& own_path() const { return claim_.path().empty() ? out_ : claim_.path(); }

  Result<DumpedFile> Write(const Profile& profile, const std::string& path, NameOwner owner);

  // After the last profile: adds it to the shared one, and gives up the name. How long it may wait for
  // other JVMs: `patience`.
  void Finish(Log& log, std::chrono::milliseconds patience);
  // Gives up the name only.
  void Release() { claim_.Release(); }

 private:
  WriteOptions FormatOf(bool gzip) const;

  const Options& options_;
  const std::string out_;
  OutClaim claim_;
  std::string
      to_merge_;  // what was written of this session and must be added to out_; empty: nothing
};

}  // namespace iprof::vm
