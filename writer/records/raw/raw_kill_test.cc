// A process can be killed at any moment. Here it is killed at every single write, and within writes: the
// writes of a whole recording are noted, and then the file is put together again from the first of
// them, for each number of writes.
#include <fcntl.h>
#include <catch2/catch.hpp>
#include <filesystem>

#include "writer/base/temporary_folder.h"
#include "writer/ops/check.h"
#include "writer/profile/io/writer.h"
#include "writer/records/raw/raw_profile.h"
#include "writer/records/raw/raw_reader.h"
#include "writer/records/raw/raw_writer.h"
#include "writer/records/raw/test_program.h"

namespace iprof {
namespace {

namespace fs = std::filesystem;

// Notes what happens to files.
class Recorder final : public SystemCalls {
 public:
  struct Event {
    int file;
    std::vector<uint8_t> bytes;  // empty: from now on, this file has the name
    uint64_t offset;
  };

  int Openat(int folder, const char* name, int flags, mode_t mode) override {
    const int fd = SystemCalls::Openat(folder, name, flags, mode);
    if (fd >= 0 && (flags & O_EXCL) != 0) {
      files_[fd] = next_;
      if (next_++ == 0) events.push_back({0, {}, 0});
    }
    return fd;
  }
  ssize_t Pwrite(int fd, const void* bytes, size_t size, off_t offset) override {
    const auto* const from = static_cast<const uint8_t*>(bytes);
    events.push_back({files_.at(fd), {from, from + size}, static_cast<uint64_t>(offset)});
    return SystemCalls::Pwrite(fd, bytes, size, offset);
  }
  int Renameat(int folder, const char* from, const char* to) override {
    events.push_back({next_ - 1, {}, 0});
    return SystemCalls::Renameat(folder, from, to);
  }

  std::vector<Event> events;

 private:
  std::map<int, int> files_;
  int next_ = 0;
};

// The file after some events.
class Replay {
 public:
  void Apply(const Recorder::Event& event, size_t bytes) {
    if (event.bytes.empty()) {
      named_ = event.file;
      return;
    }
    std::vector<uint8_t>& file = files_[event.file];
    if (file.size() < event.offset + bytes) file.resize(event.offset + bytes);
    std::copy_n(event.bytes.begin(), bytes, file.begin() + static_cast<ptrdiff_t>(event.offset));
  }
  std::vector<uint8_t>& file() { return files_[named_]; }

 private:
  std::map<int, std::vector<uint8_t>> files_;
  int named_ = 0;
};

struct Recording {
  std::vector<Recorder::Event> events;
  // What the program had counted when a generation was complete, by the number of events until then.
  std::vector<std::pair<size_t, std::string>> truths;
};

Recording Record(uint32_t seed, bool rewrites) {
  const TemporaryFolder folder;
  Recorder calls;
  LoadingProgram program(seed);
  Recording recording;
  auto writer = RawWriter::Create([&](int) { return folder / "app.iraw"; },
                                  LoadingProgram::Header(), {}, calls);
  REQUIRE(writer.ok());
  for (int period = 0; period < 14; ++period) {
    program.Step();
    // Many counters at once: the arrays grow.
    if (period == 6) {
      for (int c = 0; c < 300; ++c) program.Load(3);
      program.Run(500);
    }
    if (rewrites && period % 4 == 3) {
      auto next = (*writer)->Rewrite();
      REQUIRE(next.ok());
      program.AddAllTo(**next);
      *writer = std::move(*next);
    }
    const RawPublication done = program.Publish(**writer);
    REQUIRE(done.status.ok());
    CHECK(done.generation == static_cast<uint64_t>(period) + 1);
    CHECK_FALSE(done.wants_rewrite);
    recording.truths.emplace_back(calls.events.size(), program.TruthText());
  }
  recording.events = std::move(calls.events);
  return recording;
}

// The truth of the last generation that was complete after so many events; null if there was none.
const std::string* TruthAfter(const Recording& recording, size_t events) {
  const std::string* last = nullptr;
  for (const auto& [after, text] : recording.truths) {
    if (after <= events) last = &text;
  }
  return last;
}

enum class Commits : uint8_t { kWhole, kOneMayBeTorn };

void CheckFile(std::vector<uint8_t>& file, const std::string* truth, Commits commits) {
  RawMemoryBytes bytes(file);
  const Result<RawContents> contents = ReadRaw(bytes, "app.iraw");
  if (truth == nullptr) {
    REQUIRE_FALSE(contents.ok());
    const std::string message = contents.status().message();
    const bool says_why = message.find("no snapshot yet") != std::string::npos ||
                          message.find("is cut within its header") != std::string::npos ||
                          message.find("is empty") != std::string::npos ||
                          message.find("no snapshot that can be read") != std::string::npos;
    INFO(message);
    REQUIRE(says_why);
    return;
  }
  if (!contents.ok()) FAIL(contents.status().message());
  REQUIRE(contents->damaged_records == 0);
  REQUIRE(contents->damaged_pages == 0);
  const RawProfile made = MakeRawProfile(*contents);
  REQUIRE(TextOf(made.profile) == *truth);
  REQUIRE(made.note.newer_damaged <= (commits == Commits::kWhole ? 0 : 1));
  SnapshotNote note = made.note;
  note.newer_damaged = 0;
  REQUIRE_FALSE(note.HasLosses());
  const Result<std::string> text = WriteProfileText(made.profile);
  REQUIRE(text.ok());
  const auto checked =
      CheckProfileText(*text, {}, [](const Finding& finding) { FAIL(finding.path); });
  REQUIRE(checked.ok());
  REQUIRE(checked->errors == 0);
}

TEST_CASE("a process that is killed at any write leaves its last complete snapshot") {
  const bool rewrites = GENERATE(false, true);
  const Recording recording = Record(rewrites ? 5 : 4, rewrites);
  REQUIRE(recording.events.size() > 60);
  Replay replay;
  for (size_t done = 0; done <= recording.events.size(); ++done) {
    CheckFile(replay.file(), TruthAfter(recording, done), Commits::kWhole);
    if (done < recording.events.size())
      replay.Apply(recording.events[done], recording.events[done].bytes.size());
  }
}

TEST_CASE("a process that is killed within a write leaves its last complete snapshot") {
  const Recording recording = Record(6, false);
  Replay replay;
  for (size_t done = 0; done < recording.events.size(); ++done) {
    const Recorder::Event& event = recording.events[done];
    Replay whole = replay;
    whole.Apply(event, event.bytes.size());
    for (const size_t bytes : {size_t{1}, event.bytes.size() / 2, event.bytes.size() - 1}) {
      if (bytes == 0 || bytes >= event.bytes.size()) continue;
      Replay part = replay;
      part.Apply(event, bytes);
      if (part.file() == whole.file()) continue;  // by chance, the rest is what was there before
      const bool is_commit = event.offset == RawCommitPlace(0) || event.offset == RawCommitPlace(1);
      CheckFile(part.file(), TruthAfter(recording, done),
                is_commit ? Commits::kOneMayBeTorn : Commits::kWhole);
    }
    replay = std::move(whole);
  }
}

TEST_CASE("a truncated file gives what is left of it, or says that nothing is") {
  const Recording recording = Record(7, false);
  Replay replay;
  for (const Recorder::Event& event : recording.events) replay.Apply(event, event.bytes.size());
  const std::vector<uint8_t> whole = replay.file();
  size_t recovered = 0;
  for (size_t size = 0; size < whole.size(); size += 512) {
    std::vector<uint8_t> cut(whole.begin(), whole.begin() + static_cast<ptrdiff_t>(size));
    RawMemoryBytes bytes(cut);
    const Result<RawContents> contents = ReadRaw(bytes, "app.iraw");
    if (!contents.ok()) {
      const Code code = contents.status().code();
      REQUIRE((code == Code::kBadInput || code == Code::kNothingYet));
      continue;
    }
    ++recovered;
    const RawProfile made = MakeRawProfile(*contents);
    const bool is_complete = TextOf(made.profile) == recording.truths.back().second ||
                             TextOf(made.profile) == recording.truths.end()[-2].second;
    const bool is_honest = is_complete || made.note.HasLosses();
    REQUIRE(is_honest);
  }
  CHECK(recovered > 0);
}

}  // namespace
}  // namespace iprof
