// One side of the comparison of JSON readers (docs/lab/json-reader.md): reads one file ROUNDS times
// in one way and prints one JSON line with the user CPU time of all rounds and the peak memory.
// Usage: json_reader_bench events|model ours|rapidjson FILE ROUNDS
//        json_reader_bench same FILE exits with 1 unless both make the same events and profile
//        json_reader_bench failure FILE prints the error of each for a file that it cannot read
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <string_view>

#include "bench/files/rapidjson_events.h"
#include "writer/base/hash.h"
#include "writer/profile/example_profiles.h"
#include "writer/profile/io/profile_events.h"
#include "writer/profile/io/reader.h"

namespace {

using namespace iprof;

double UserSeconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_utime.tv_sec) +
         1e-6 * static_cast<double>(usage.ru_utime.tv_usec);
}

// The peak memory of this program: getrusage would return that of its parent, if that is larger.
long PeakKilobytes() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmHWM:")) return std::strtol(line.c_str() + 6, nullptr, 10);
  }
  return 0;
}

// Reads as little as possible of each event, or all of it, to compare two parsers.
class Digest final : public ProfileEvents {
 public:
  explicit Digest(bool everything) : everything_(everything) {}
  uint64_t value() const { return value_; }

  bool OnVersion(std::string_view version, const Place& place) override {
    return Add(version, place);
  }
  bool OnType(const TypeDecl& type) override {
    Add(static_cast<uint64_t>(type.id));
    return Add(type.name, type.place);
  }
  bool OnMethod(const MethodDecl& method) override {
    Add(static_cast<uint64_t>(method.id));
    Add(method.signature);
    return Add(method.name, method.place);
  }
  bool OnTable(Table table, std::string_view key, const Place& place) override {
    Add(static_cast<uint64_t>(table));
    return Add(key, place);
  }
  bool OnEntry(const EntryDecl& entry) override {
    Add(entry.values);
    if (everything_) {
      for (const RawFrame& frame : entry.frames) {
        Add(static_cast<uint64_t>(frame.method));
        Add(static_cast<uint64_t>(frame.bci));
      }
      Add(entry.ctx_offset);
      Add(entry.records_offset);
    }
    return Add(entry.ctx, entry.place);
  }
  bool OnUnknownKey(std::string_view key, std::string_view json, const Place& place) override {
    Add(key, place);
    return Add(json, place);
  }
  bool OnViolation(const Violation& violation) override {
    return Add("violation", violation.place);
  }

 private:
  void Add(uint64_t word) { value_ = MixHash(value_ ^ word, 1); }
  void Add(std::span<const int64_t> words) {
    Add(words.size());
    if (!everything_) return;
    for (const int64_t word : words) Add(static_cast<uint64_t>(word));
  }
  bool Add(std::string_view text, const Place& place) {
    Add(text.size());
    if (!everything_) return true;
    Add(place.offset);
    for (const char c : std::string(text) + JsonPath(place)) Add(static_cast<unsigned char>(c));
    return true;
  }

  bool everything_;
  uint64_t value_ = 0;
};

// A file that is opened again for each reading.
class OpenFile {
 public:
  explicit OpenFile(const char* path)
      : fd_(::open(path, O_RDONLY | O_CLOEXEC)), source_(fd_, path) {}
  ~OpenFile() { ::close(fd_); }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  ByteSource& source() { return source_; }

 private:
  int fd_;
  FdSource source_;
};

ProfileParser ParserOf(std::string_view who) {
  return who == "ours" ? &ParseProfile : &ParseProfileByRapidJson;
}

Status ReadOnce(std::string_view what, std::string_view who, const char* path) {
  OpenFile file(path);
  if (what == "events") {
    Digest digest(false);
    return ParserOf(who)(file.source(), path, digest);
  }
  return ReadProfileWith(ParserOf(who), file.source(), path).status();
}

Result<uint64_t> DigestOf(ProfileParser parser, const char* path) {
  OpenFile file(path);
  Digest digest(true);
  if (Status status = parser(file.source(), path, digest); !status.ok()) return status;
  return digest.value();
}

std::string DifferenceBetweenReaders(const char* path) {
  const Result<uint64_t> ours = DigestOf(&ParseProfile, path);
  const Result<uint64_t> theirs = DigestOf(&ParseProfileByRapidJson, path);
  if (!ours.ok()) return ours.status().message();
  if (!theirs.ok()) return "RapidJSON: " + theirs.status().message();
  if (*ours != *theirs) return "the events differ";
  OpenFile file(path);
  OpenFile again(path);
  const Result<Profile> a = ReadProfileWith(&ParseProfile, file.source(), path);
  const Result<Profile> b = ReadProfileWith(&ParseProfileByRapidJson, again.source(), path);
  if (!a.ok() || !b.ok()) return (a.ok() ? b : a).status().message();
  return FirstDifference(*a, *b);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view mode = argc < 3 ? "" : argv[1];
  if (mode == "same" && argc == 3) {
    const std::string difference = DifferenceBetweenReaders(argv[2]);
    if (!difference.empty()) std::fprintf(stderr, "%s: %s\n", argv[2], difference.c_str());
    return difference.empty() ? 0 : 1;
  }
  if (mode == "failure" && argc == 3) {
    for (const char* who : {"ours", "rapidjson"}) {
      std::printf("%s: %s\n", who, ReadOnce("model", who, argv[2]).message().c_str());
    }
    return 0;
  }
  if (argc != 5) return 2;
  const double start = UserSeconds();
  for (unsigned long round = std::strtoul(argv[4], nullptr, 10); round > 0; --round) {
    if (const Status status = ReadOnce(mode, argv[2], argv[3]); !status.ok()) {
      std::fprintf(stderr, "%s\n", status.message().c_str());
      return 1;
    }
  }
  std::printf("{\"user_seconds\":%.6f,\"peak_kb\":%ld}\n", UserSeconds() - start, PeakKilobytes());
  return 0;
}
