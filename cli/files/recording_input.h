// Recordings of Java Flight Recorder as inputs of commands (cli/jfr). Their first bytes identify them, under any name.
//
// Example: `iprof convert app.jfr -o app.iprof` prints
//   app.jfr: 1,203 samples of jdk.ExecutionSample, every 20 ms; JFR cut 112 of them off: record with -XX:FlightRecorderOptions=stackdepth=512
//   app.jfr: it says no hashes of classes, so 'check' cannot tell whether a class has changed
//
// Guarantees: the profile is finished for an image build, for that of the JVM that recorded unless another one is wanted. It has no
// counts, and its run says so.
// Threads: one. Failure: a Status that names the file.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/jfr/recorded_profile.h"
#include "writer/base/status.h"
#include "writer/profile/image/image_target.h"
#include "writer/profile/model.h"

namespace iprof::cli {

struct RecordingWishes {
  bool native = false;  // jdk.NativeMethodSample, too
  std::optional<ImageTarget> target = std::nullopt;
  bool is_filtered = true;  // without what an image build cannot use
};

struct RecordingInput {
  Profile profile;
  jfr::RecordingFigures figures;
  std::string jvm_build;  // "17.0.15+6-Debian-1deb12u1"; empty: it does not say
};

bool IsRecording(const std::string& path);

// Of an open regular file of this size.
Result<RecordingInput> ReadRecordingInput(int fd, uint64_t size, const std::string& name,
                                          const RecordingWishes& wishes = {});
Result<RecordingInput> ReadRecordingInput(const std::string& path, const RecordingWishes& wishes);

// What a user has to know of such a profile, a sentence each, without the problems.
std::vector<std::string> DescribeRecording(const jfr::RecordingFigures& figures);

}  // namespace iprof::cli
