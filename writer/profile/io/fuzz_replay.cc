// Runs a fuzz target over given files and folders without libFuzzer, so that seeds and the inputs
// of old crashes are tests with every compiler. Each file also runs in some cut and damaged
// versions, the same ones every time. Usage: reader_fuzz_replay FILE-OR-FOLDER...
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "writer/profile/example_profiles.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace {

void Run(const std::string& bytes) {
  // A copy of exactly this size, so that the sanitizer sees every read beyond it.
  const std::vector<uint8_t> exact(bytes.begin(), bytes.end());
  LLVMFuzzerTestOneInput(exact.data(), exact.size());
}

void RunFile(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  Run(bytes);
  iprof::RepeatableRandom random(bytes.size());
  for (int i = 0; i < 40 && !bytes.empty(); ++i) {
    Run(bytes.substr(0, random.Below(bytes.size())));
    std::string damaged = bytes;
    damaged[random.Below(damaged.size())] = static_cast<char>(random.Below(256));
    Run(damaged);
  }
}

}  // namespace

int main(int argc, char** argv) {
  size_t files = 0;
  for (int i = 1; i < argc; ++i) {
    if (!std::filesystem::is_directory(argv[i])) {
      RunFile(argv[i]);
      ++files;
      continue;
    }
    for (const auto& entry : std::filesystem::directory_iterator(argv[i])) {
      if (!entry.is_regular_file()) continue;
      RunFile(entry.path());
      ++files;
    }
  }
  std::printf("%zu inputs\n", files);
  return files == 0 ? 1 : 0;
}
