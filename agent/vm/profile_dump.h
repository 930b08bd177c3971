// Profile dump: from a finished profile to its file, as the options say.
//
// Guarantees: the file is whole or untouched (AtomicFile); with overwriting forbidden an existing
// file is never touched, two JVMs ending at once included. No JVM types, so it can be tested
// without one. Any thread.
#pragma once

#include <string>

#include "writer/model.h"
#include "writer/status.h"
#include "writer/writer.h"

namespace iprof::vm {

struct DumpTarget {
  std::string path;       // absolute
  bool overwrite = true;  // false: add a number to the name where it is taken
  WriteOptions format;
};

// Writes the profile; the result is the name of the file that now holds it.
Result<std::string> DumpProfile(const Profile& profile, const DumpTarget& target);

}  // namespace iprof::vm
