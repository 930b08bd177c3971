// Writes example profiles into a folder, as seeds for the fuzzers and as input of the schema test.
// Usage: write_samples FOLDER COUNT [official]. Names are random-N-VERSION.json; every fourth is
// also written as .json.gz.
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>

#include "writer/base/open_file.h"
#include "writer/profile/example_profiles.h"
#include "writer/profile/io/context_form.h"
#include "writer/profile/io/writer.h"

int main(int argc, char** argv) {
  using namespace iprof;
  const bool official = argc == 4 && std::string_view(argv[3]) == "official";
  if (argc != 3 && !official) {
    std::fprintf(stderr, "usage: write_samples FOLDER COUNT [official]\n");
    return 2;
  }
  std::error_code error;
  std::filesystem::create_directories(argv[1], error);
  // WriteProfileFile waits until each file is on the disk, which takes most of the time.
  const auto write = [&](const Profile& profile, const WriteOptions& options,
                         const std::string& name) {
    const std::string path = std::string(argv[1]) + "/" + name;
    const Result<OwnedFd> file =
        OpenFile(AT_FDCWD, path, O_WRONLY | O_CREAT | O_TRUNC, FileKind::kRegular, 0644);
    if (!file.ok()) {
      std::fprintf(stderr, "%s: %s\n", path.c_str(), file.status().message().c_str());
      return false;
    }
    FdSink sink(file->get(), path);
    const Result<WriteReport> report = WriteProfile(profile, options, sink);
    if (!report.ok()) std::fprintf(stderr, "%s\n", report.status().message().c_str());
    return report.ok();
  };
  const auto count = std::strtoull(argv[2], nullptr, 10);
  for (uint64_t i = 0; i < count; ++i) {
    const Profile profile =
        MakeRandomProfile(i, official ? ExampleKind::kOfficial : ExampleKind::kAnything);
    WriteOptions options;
    options.version = i % 2 == 0 ? FormatVersion::k1_0_0 : FormatVersion::k1_1_0;
    options.pretty = i % 3 == 0;
    const std::string name = "random-" + std::to_string(i) + "-" +
                             std::string(FormatVersionName(options.version)) + ".json";
    if (!write(profile, options, name)) return 1;
    const Result<Profile> inclusive = ToInclusive(profile);
    if (!official && inclusive.ok() && !write(*inclusive, options, "inclusive-" + name)) return 1;
    options.gzip = true;
    if (i % 4 == 0 && !write(profile, options, name + ".gz")) return 1;
  }
  return 0;
}
