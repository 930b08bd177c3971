#include "writer/records/raw/raw_writer.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "writer/base/temporary_folder.h"
#include "writer/records/raw/raw_profile.h"
#include "writer/records/raw/raw_reader.h"
#include "writer/records/raw/test_program.h"

namespace iprof {
namespace {

namespace fs = std::filesystem;

// The real system, until a call is to fail.
class Faults final : public SystemCalls {
 public:
  ssize_t Pwrite(int fd, const void* bytes, size_t size, off_t offset) override {
    ++writes;
    if (writes == fail_at) {
      errno = error;
      return -1;
    }
    if (fails_from > 0 && writes >= fails_from) {
      errno = error;
      return -1;
    }
    if (interrupts && writes % 2 == 0) {
      errno = EINTR;
      return -1;
    }
    return SystemCalls::Pwrite(fd, bytes, most_bytes > 0 ? std::min(size, most_bytes) : size,
                               offset);
  }
  int writes = 0;
  int fail_at = 0;
  int fails_from = 0;
  int error = ENOSPC;
  size_t most_bytes = 0;
  bool interrupts = false;
};

std::unique_ptr<RawWriter> Create(const std::string& path, const RawLimits& limits = {},
                                  SystemCalls& calls = SystemCalls::Real()) {
  auto writer =
      RawWriter::Create([&](int) { return path; }, LoadingProgram::Header(), limits, calls);
  if (!writer.ok()) FAIL(writer.status().message());
  return std::move(*writer);
}

Result<RawContents> Read(const std::string& path) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  REQUIRE(fd >= 0);
  RawFdBytes bytes(fd);
  Result<RawContents> contents = ReadRaw(bytes, path);
  close(fd);
  return contents;
}

RawProfile Recover(const std::string& path) {
  const Result<RawContents> contents = Read(path);
  if (!contents.ok()) FAIL(contents.status().message());
  return MakeRawProfile(*contents);
}

TEST_CASE("a file is for its owner only, and no existing file is touched") {
  const TemporaryFolder folder;
  std::ofstream(folder / "a.iraw") << "old";
  fs::create_symlink(folder / "elsewhere", folder / "a.1.iraw");
  std::vector<std::string> tried;
  const auto name_of = [&](int attempt) {
    tried.push_back(folder / (attempt == 0 ? "a.iraw" : "a." + std::to_string(attempt) + ".iraw"));
    return tried.back();
  };
  const auto writer = RawWriter::Create(name_of, LoadingProgram::Header(), {});
  REQUIRE(writer.ok());
  // A link of our own is followed, as for all our files.
  CHECK((*writer)->path() == folder / "a.1.iraw");
  CHECK(tried.size() == 2);
  std::ifstream old(folder / "a.iraw");
  CHECK(std::string(std::istreambuf_iterator<char>(old), {}) == "old");
  struct stat info {};
  REQUIRE(stat((folder / "elsewhere").c_str(), &info) == 0);
  CHECK((info.st_mode & 07777) == 0600);
}

TEST_CASE("a folder that is missing, and a name that is always taken, are reported") {
  const TemporaryFolder folder;
  const auto missing =
      RawWriter::Create([&](int) { return folder / "no/a.iraw"; }, LoadingProgram::Header(), {});
  REQUIRE_FALSE(missing.ok());
  CHECK(missing.status().code() == Code::kIo);
  CHECK(missing.status().message().find(folder / "no/a.iraw") == 0);
  std::ofstream(folder / "a") << "x";
  const auto taken =
      RawWriter::Create([&](int) { return folder / "a"; }, LoadingProgram::Header(), {});
  REQUIRE_FALSE(taken.ok());
  const auto few = RawWriter::Create([&](int attempt) { return attempt == 0 ? folder / "a" : ""; },
                                     LoadingProgram::Header(), {});
  REQUIRE_FALSE(few.ok());
  CHECK(few.status().code() == Code::kLimit);
  CHECK(taken.status().message().find("File exists") != std::string::npos);
}

TEST_CASE("a snapshot of unchanged numbers writes only the commit") {
  const TemporaryFolder folder;
  LoadingProgram program(1);
  const auto writer = Create(folder / "a.iraw");
  for (int c = 0; c < 500; ++c) program.Load(3);
  program.Run(3000);
  const RawPublication first = program.Publish(*writer);
  REQUIRE(first.status.ok());
  const RawPublication second = program.Publish(*writer);  // the other copy
  const RawPublication third = program.Publish(*writer);
  const RawPublication fourth = program.Publish(*writer);
  CHECK(second.written_bytes > 500 * 3 * 16);
  CHECK(third.written_bytes == sizeof(RawCommitWords));
  CHECK(fourth.written_bytes == sizeof(RawCommitWords));
  // One counter: its page, the page of hashes, and the commit.
  ++program.counters()[1000];
  CHECK(program.Publish(*writer).written_bytes < 4 * kRawPageBytes);
  CHECK(Read(folder / "a.iraw")->generation == 5);
}

TEST_CASE("short writes and interrupts change nothing") {
  const TemporaryFolder folder;
  Faults faults;
  faults.most_bytes = 777;
  faults.interrupts = true;
  LoadingProgram program(2);
  const auto writer = Create(folder / "a.iraw", {}, faults);
  for (int period = 0; period < 5; ++period) {
    program.Step();
    REQUIRE(program.Publish(*writer).status.ok());
    CHECK(TextOf(Recover(folder / "a.iraw").profile) == program.TruthText());
  }
}

TEST_CASE("a write that fails leaves the snapshot before, and the next one has everything") {
  const int fail_at = GENERATE(range(2, 60, 3));
  const bool at_once = GENERATE(false, true);
  const TemporaryFolder folder;
  Faults faults;
  faults.fail_at = fail_at;
  LoadingProgram program(3);
  const auto writer = Create(folder / "a.iraw", {}, faults);
  std::string last;
  bool has_failed = false;
  for (int period = 0; period < 12; ++period) {
    program.Step();
    const RawPublication done = program.Publish(*writer);
    if (done.status.ok()) {
      last = program.TruthText();
    } else {
      has_failed = true;
      CHECK(done.status.code() == Code::kIo);
      CHECK(done.status.message().find("No space left on device") != std::string::npos);
    }
    const Result<RawContents> contents = Read(folder / "a.iraw");
    if (last.empty()) {
      REQUIRE_FALSE(contents.ok());
      continue;
    }
    REQUIRE(contents.ok());
    REQUIRE(contents->damaged_pages + contents->damaged_records == 0);
    REQUIRE(TextOf(MakeRawProfile(*contents).profile) == last);
    // The same numbers again: what failed to be written must not be taken for unchanged.
    if (done.status.ok() || !at_once) continue;
    REQUIRE(program.Publish(*writer).status.ok());
    last = program.TruthText();
    REQUIRE(TextOf(Recover(folder / "a.iraw").profile) == last);
  }
  CHECK(has_failed);
  CHECK(last == program.TruthText());
}

TEST_CASE("while a disk is full, little is kept in memory, and what is lost is told") {
  const TemporaryFolder folder;
  Faults faults;
  LoadingProgram program(4);
  const auto writer = Create(folder / "a.iraw", {}, faults);
  program.Step();
  REQUIRE(program.Publish(*writer).status.ok());
  faults.fails_from = 1;
  for (int period = 0; period < 30; ++period) {
    for (int c = 0; c < 1500; ++c) program.Load(3);
    CHECK_FALSE(program.Publish(*writer).status.ok());
  }
  CHECK(writer->memory_bytes() < (20 << 20));
  faults.fails_from = 0;
  program.Run(100);
  const RawPublication done = program.Publish(*writer);
  REQUIRE(done.status.ok());
  CHECK(writer->losses().classes > 0);
  const RawProfile made = Recover(folder / "a.iraw");
  CHECK(made.note.lost_classes == static_cast<int64_t>(writer->losses().classes));
}

TEST_CASE(
    "pages that could not be written are written later, also if there were fewer in between") {
  const int fail_at = GENERATE(range(1, 8));
  const TemporaryFolder folder;
  Faults faults;
  const auto writer = Create(folder / "a.iraw", {}, faults);
  constexpr size_t kPages = 4;
  std::vector<uint64_t> counters(kPages * kRawPageWords, 1);
  const auto publish = [&](std::span<const uint64_t> numbers) {
    return writer->Publish({.time_ns = 1, .counters = numbers}).status;
  };
  // The disk is full. Then a reset leaves no count, and the same counts come again.
  faults.fails_from = faults.writes + fail_at;
  REQUIRE_FALSE(publish(counters).ok());
  faults.fails_from = 0;
  for (int copy = 0; copy < 2; ++copy) REQUIRE(publish({}).ok());
  for (int copy = 0; copy < 2; ++copy) {
    REQUIRE(publish(counters).ok());
    const Result<RawContents> contents = Read(folder / "a.iraw");
    REQUIRE(contents.ok());
    CHECK_FALSE(contents->newer_is_damaged);
    CHECK(contents->damaged_pages == 0);
    CHECK(contents->counters == counters);
  }
}

TEST_CASE("a reset while a disk is full does not end the snapshots") {
  const TemporaryFolder folder;
  Faults faults;
  LoadingProgram program(13);
  const auto writer = Create(folder / "a.iraw", {}, faults);
  program.Step();
  REQUIRE(program.Publish(*writer).status.ok());
  faults.fails_from = 1;
  CHECK_FALSE(program.Publish(*writer).status.ok());
  // As much as is kept in memory.
  const std::string json = "{\"a\":\"" + std::string(1 << 20, 'x') + "\"}";
  for (int part = 0; part < 10; ++part) writer->AddPart({"a", json});
  std::string rest = json;
  while (rest.size() > 8) {
    writer->AddPart({"a", rest});
    rest.resize(rest.size() / 2);
  }
  for (int reset = 0; reset < 100; ++reset) writer->ForgetUnloaded();
  CHECK(program.Publish(*writer).status.code() == Code::kIo);
  faults.fails_from = 0;
  CHECK(program.Publish(*writer).status.ok());
}

TEST_CASE("a file stays below its maximum, and says what it has not") {
  const TemporaryFolder folder;
  LoadingProgram program(5);
  const uint64_t most = 512 << 10;
  const auto writer = Create(folder / "a.iraw", {.most_bytes = most});
  for (int period = 0; period < 40; ++period) {
    for (int c = 0; c < 200; ++c) program.Load(2);
    program.Run(200);
    const RawPublication done = program.Publish(*writer);
    REQUIRE(done.status.ok());
    REQUIRE(fs::file_size(folder / "a.iraw") <= most);
    CHECK(done.file_bytes <= most);
    CHECK_FALSE(done.wants_rewrite);  // everything in it still counts
  }
  CHECK(writer->losses().classes > 1000);
  CHECK(writer->losses().pairs > 0);
  const RawProfile made = Recover(folder / "a.iraw");
  CHECK(made.note.lost_classes == static_cast<int64_t>(writer->losses().classes));
  CHECK(made.note.lost_counts > 0);
  CHECK(made.profile.entry_count(Table::kCalls) > 100);
}

TEST_CASE("what is new about a class and has no room counts as lost") {
  const TemporaryFolder folder;
  const auto writer = Create(folder / "a.iraw", {.most_bytes = kLeastRawBytes});
  ClassRecord klass;
  klass.name = "test/A";
  for (uint32_t number = 0; number < 10'000; ++number) writer->AddClass(number, klass);
  REQUIRE(writer->Publish({.time_ns = 1}).status.ok());
  const uint64_t before = writer->losses().classes;
  REQUIRE(before > 0);
  klass.super_name = "test/B";
  for (int again = 0; again < 2; ++again) writer->AddClass(0, klass);
  REQUIRE(writer->Publish({.time_ns = 2}).status.ok());
  CHECK(writer->losses().classes == before + 1);
  CHECK(Recover(folder / "a.iraw").note.lost_classes == static_cast<int64_t>(before + 1));
}

TEST_CASE("a class of endless bytes counts as lost, because no reader would take it") {
  const TemporaryFolder folder;
  const auto writer = Create(folder / "a.iraw", {.most_bytes = kMostRawBytes});
  ClassRecord klass;
  klass.records.resize(kMostRawClassBytes);
  writer->AddClass(0, klass);
  REQUIRE(writer->Publish({.time_ns = 1}).status.ok());
  CHECK(writer->losses().classes == 1);
  CHECK(Read(folder / "a.iraw")->damaged_records == 0);
}

TEST_CASE("a full file still notes that classes are gone, so no count gets to another class") {
  const TemporaryFolder folder;
  Faults faults;
  LoadingProgram program(6);
  const auto writer = Create(folder / "a.iraw", {.most_bytes = kLeastRawBytes}, faults);
  for (int period = 0; period < 8; ++period) {
    for (int c = 0; c < 200; ++c) program.Load(1);
    program.Run(200);
    REQUIRE(program.Publish(*writer).status.ok());
  }
  REQUIRE(writer->losses().classes > 0);
  bool wants_rewrite = false;
  while (program.loaded() > 0) {
    for (int c = 0; c < 50 && program.loaded() > 0; ++c) program.Unload(0);
    const RawPublication done = program.Publish(*writer);
    REQUIRE(done.status.ok());
    wants_rewrite = wants_rewrite || done.wants_rewrite;
    REQUIRE(fs::file_size(folder / "a.iraw") <= kLeastRawBytes);
  }
  CHECK(wants_rewrite);
  // A disk that is full now is no reason to give up the file, whose last generation is valid.
  faults.fails_from = faults.writes + 1;
  const RawPublication failed = program.Publish(*writer);
  CHECK(failed.status.code() == Code::kIo);
  CHECK_FALSE(failed.wants_rewrite);
  faults.fails_from = 0;
  // The counters belong to other classes now, which have no room.
  for (int c = 0; c < 500; ++c) program.Load(1);
  program.Run(1000);
  REQUIRE(program.Publish(*writer).status.ok());
  const Result<RawContents> contents = Read(folder / "a.iraw");
  REQUIRE(contents.ok());
  for (const RawClass& klass : contents->classes) CHECK(klass.unloaded);
}

TEST_CASE("a rewrite makes room, and keeps everything") {
  const TemporaryFolder folder;
  LoadingProgram program(7);
  auto writer = Create(folder / "a.iraw", {.most_bytes = 400 << 10});
  int rewrites = 0;
  for (int period = 0; period < 60; ++period) {
    for (int c = 0; c < 40; ++c) program.Load(1);
    for (int c = 0; c < 40; ++c) program.Unload(0);
    RawPublication done = program.Publish(*writer);
    REQUIRE(done.status.ok());
    if (!done.wants_rewrite) continue;
    ++rewrites;
    auto next = writer->Rewrite();
    REQUIRE(next.ok());
    CHECK(folder.Names().size() == 2);
    program.AddAllTo(**next);
    writer = std::move(*next);
    done = program.Publish(*writer);
    REQUIRE(done.status.ok());
    CHECK(folder.Names().size() == 1);
    CHECK_FALSE(writer->losses().any());
    CHECK(TextOf(Recover(folder / "a.iraw").profile) == program.TruthText());
  }
  CHECK(rewrites > 0);
}

TEST_CASE("a file that was removed or cut is noticed, and can be written again") {
  const TemporaryFolder folder;
  const std::string path = folder / "a.iraw";
  LoadingProgram program(8);
  auto writer = Create(path);
  program.Step();
  REQUIRE(program.Publish(*writer).status.ok());
  const bool removed = GENERATE(true, false);
  if (removed) {
    fs::remove(path);
  } else {
    fs::resize_file(path, 5000);
  }
  program.Step();
  const RawPublication done = program.Publish(*writer);
  CHECK(done.status.code() == Code::kIo);
  CHECK(done.status.message().find(removed ? "was removed" : "was cut") != std::string::npos);
  REQUIRE(done.wants_rewrite);
  auto next = writer->Rewrite();
  REQUIRE(next.ok());
  program.AddAllTo(**next);
  writer = std::move(*next);
  REQUIRE(program.Publish(*writer).status.ok());
  CHECK(TextOf(Recover(path).profile) == program.TruthText());
  CHECK(folder.Names().size() == 1);
}

TEST_CASE("another file under the name is neither replaced nor removed") {
  const TemporaryFolder folder;
  const std::string path = folder / "a.iraw";
  LoadingProgram program(9);
  auto writer = Create(path);
  program.Step();
  REQUIRE(program.Publish(*writer).status.ok());
  fs::remove(path);
  std::ofstream(path) << "another program's";
  auto next = writer->Rewrite();
  REQUIRE(next.ok());
  program.AddAllTo(**next);
  const RawPublication done = program.Publish(**next);
  CHECK(done.status.message().find("another program's file") != std::string::npos);
  (*next)->Remove();
  writer->Remove();
  CHECK(folder.Names().size() == 1);
  CHECK(fs::file_size(path) == 17);
}

TEST_CASE("a normal end removes the file; an abandoned rewrite leaves no temporary file") {
  const TemporaryFolder folder;
  LoadingProgram program(10);
  auto writer = Create(folder / "a.iraw");
  program.Step();
  REQUIRE(program.Publish(*writer).status.ok());
  {
    auto next = writer->Rewrite();
    REQUIRE(next.ok());
    CHECK(folder.Names().size() == 2);
  }
  CHECK(folder.Names().size() == 1);
  CHECK(TextOf(Recover(folder / "a.iraw").profile) == program.TruthText());
  writer->Remove();
  CHECK(folder.Names().size() == 0);
  CHECK_FALSE(program.Publish(*writer).status.ok());
}

TEST_CASE("a reset forgets the counts of unloaded classes") {
  const TemporaryFolder folder;
  LoadingProgram program(11);
  const auto writer = Create(folder / "a.iraw");
  for (int c = 0; c < 4; ++c) program.Load(1);
  program.Run(50);
  while (program.loaded() > 0) program.Unload(0);
  REQUIRE(program.Publish(*writer).status.ok());
  REQUIRE(Recover(folder / "a.iraw").profile.entry_count(Table::kCalls) > 0);
  writer->ForgetUnloaded();
  REQUIRE(program.Publish(*writer).status.ok());
  CHECK(Recover(folder / "a.iraw").profile.entry_count(Table::kCalls) == 0);
}

TEST_CASE("the log can be written ahead of its snapshot") {
  const TemporaryFolder folder;
  LoadingProgram program(12);
  const auto writer = Create(folder / "a.iraw");
  program.Step();
  REQUIRE(program.Publish(*writer).status.ok());
  const std::string before = program.TruthText();
  for (int c = 0; c < 100; ++c) {
    program.Load(3);
    program.AddTo(*writer);
    REQUIRE(writer->Flush().ok());
  }
  program.Run(50);
  CHECK(TextOf(Recover(folder / "a.iraw").profile) == before);
  REQUIRE(program.Publish(*writer).status.ok());
  CHECK(TextOf(Recover(folder / "a.iraw").profile) == program.TruthText());
}

}  // namespace
}  // namespace iprof
