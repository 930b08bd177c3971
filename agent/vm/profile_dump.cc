#include "agent/vm/profile_dump.h"

#include <unistd.h>

#include "agent/vm/out_path.h"

namespace iprof::vm {

Result<std::string> DumpProfile(const Profile& profile, const DumpTarget& target) {
  std::string path = target.path;
  if (!target.overwrite) {
    Result<std::string> reserved = ReserveUnusedName(target.path);
    if (!reserved.ok()) return reserved.status();
    path = std::move(*reserved);
  }
  const Status written = WriteProfileFile(profile, target.format, path).status();
  if (!written.ok()) {
    if (!target.overwrite) unlink(path.c_str());  // only the empty reservation can be there
    return written;
  }
  return path;
}

}  // namespace iprof::vm
