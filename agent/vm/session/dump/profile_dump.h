// Profile dump: writes a finished profile to its file, as the options say.
//
// Guarantees: the file is complete or unchanged (AtomicFile). If overwriting is forbidden, an
// existing file is never changed, even if two JVMs end at once. If the file cannot be written under
// its own name (it now belongs to another user, or is a folder, or a raw file, which is never
// replaced), it is written next to it if possible, so that no profile is lost. Uses no JVM types, so it can be
// tested without one.
// Threads: any. Failure: a Status that names the path.
#pragma once

#include <string>

#include "writer/base/status.h"
#include "writer/profile/io/writer.h"
#include "writer/profile/model.h"

namespace iprof::vm {

struct DumpTarget {
  std::string path;       // absolute
  bool overwrite = true;  // false: add a number to the name if it exists
  WriteOptions format;
};

struct DumpedFile {
  std::string path;  // the file that now contains the profile
  // Why the name has a number although overwriting is allowed; otherwise ok.
  Status not_replaced;
  // The file that this one is added to at the program's end (merge=y); empty: it stays.
  std::string added_to = {};
};

Result<DumpedFile> DumpProfile(const Profile& profile, const DumpTarget& target);

}  // namespace iprof::vm
