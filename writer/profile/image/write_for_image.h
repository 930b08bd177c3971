// WriteForImage: how every profile is written that an image build may read, by the agent and by the tool: as WriteProfile
// (io/writer.h), with samples cut where an image build cannot follow, and in pieces where they contradict the receivers
// (sample_split.h).
//
// Guarantees: reading gives the same profile with whole stacks. Writing what was read gives the same bytes.
// Threads and failure: as WriteProfile.
#pragma once

#include <string>

#include "writer/profile/io/writer.h"

namespace iprof {

Result<WriteReport> WriteForImage(const Profile& profile, const WriteOptions& options,
                                  ByteSink& sink);
// As WriteProfileFile.
Result<WriteReport> WriteFileForImage(const Profile& profile, const WriteOptions& options,
                                      const std::string& path, Readers readers = Readers::kByUmask);

}  // namespace iprof
