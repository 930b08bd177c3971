// Profile dump: from a finished profile to its file, as the options say.
//
// Guarantees: the file is whole or untouched (AtomicFile); with overwriting forbidden an existing
// file is never touched, two JVMs ending at once included. What cannot be written under its own
// name (the file became somebody else's meanwhile, or a folder) goes beside it if that can be, so
// that no profile is lost. No JVM types, so it can be tested without one. Any thread.
#pragma once

#include <string>

#include "writer/base/status.h"
#include "writer/io/writer.h"
#include "writer/model/model.h"

namespace iprof::vm {

struct DumpTarget {
  std::string path;       // absolute
  bool overwrite = true;  // false: add a number to the name where it is taken
  WriteOptions format;
};

struct DumpedFile {
  std::string path;  // of the file that now holds the profile
  // Why it has a number although overwriting is allowed; ok where it does not.
  Status not_replaced;
};

Result<DumpedFile> DumpProfile(const Profile& profile, const DumpTarget& target);

}  // namespace iprof::vm
