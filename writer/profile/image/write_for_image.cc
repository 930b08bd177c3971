#include "writer/profile/image/write_for_image.h"

#include "writer/profile/image/sample_split.h"
#include "writer/profile/io/split_writer.h"

namespace iprof {

Result<WriteReport> WriteForImage(const Profile& profile, const WriteOptions& options,
                                  ByteSink& sink) {
  return WriteSplitProfile(profile, SplitSamples(profile), options, sink);
}

Result<WriteReport> WriteFileForImage(const Profile& profile, const WriteOptions& options,
                                      const std::string& path, Readers readers) {
  return WriteSplitProfileFile(profile, SplitSamples(profile), options, path, readers);
}

}  // namespace iprof
