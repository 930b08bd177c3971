// WriteSplitProfile: as WriteProfile (writer.h), with the samples in pieces and the part that has the whole stacks and the
// names that only they need (split_part.h). WriteProfile itself writes whole stacks and no such part.
//
// Guarantees: those of WriteProfile. A section "iprofagent" that we cannot read is written unchanged; then the samples
// are written whole, too. Written by writer.cc.
// Threads and failure: as WriteProfile.
#pragma once

#include <string>

#include "writer/profile/io/split_part.h"
#include "writer/profile/io/writer.h"

namespace iprof {

Result<WriteReport> WriteSplitProfile(const Profile& profile, const SplitPart& split,
                                      const WriteOptions& options, ByteSink& sink);
// As WriteProfileFile.
Result<WriteReport> WriteSplitProfileFile(const Profile& profile, const SplitPart& split,
                                          const WriteOptions& options, const std::string& path,
                                          Readers readers = Readers::kByUmask);

}  // namespace iprof
