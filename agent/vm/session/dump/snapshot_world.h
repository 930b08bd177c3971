// SnapshotWorld: a folder with a Snapshots, whose recorder, disk and JVM a test controls.
//
// Guarantees: the folder is removed together with the object.
// Threads: one. Failure: the test fails.
#pragma once

#include <stdlib.h>

#include <catch2/catch.hpp>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "agent/settings/temporary_log.h"
#include "agent/vm/jvmti/fake_jvm.h"
#include "agent/vm/session/dump/snapshots.h"
#include "writer/base/temporary_folder.h"
#include "writer/records/raw/raw_reader.h"

namespace iprof::vm {

// Counts one class with one counter.
struct FakeRecorder final : Recorder {
  std::vector<uint64_t> counters{7};
  bool is_new = false;
  bool is_possible = true;
  bool has_outgrown = false;
  bool is_costly = false;
  Code failure = Code::kLimit;  // unless it is possible
  IsOver is_over;               // of the last Write
  int begun = 0;
  int ended = 0;
  std::function<void()> on_add;
  std::function<void(const RecordSink&)> on_sink;
  std::function<void()> on_end;

  Status Prepare(StartMoment) override { return {}; }
  Status Begin(JNIEnv*) override { return {}; }
  std::string Pause(JNIEnv*) override { return {}; }
  Status Reset(JNIEnv*, ResetScope) override { return {}; }
  void End() override {}
  bool Close() override { return true; }
  void BeginLog() override {
    ++begun;
    is_new = true;
    has_outgrown = false;
  }
  void EndLog() override {
    ++ended;
    if (on_end) on_end();
  }
  Status Write(JNIEnv*, RecordSink& sink, const IsOver& over) override {
    is_over = over;
    if (on_add) on_add();
    if (on_sink) on_sink(sink);
    if (!is_possible) return {failure, "the recorder has a reason"};
    if (std::exchange(is_new, false)) sink.log()->AddPart({"facts", "{\"a\":1}"});
    sink.SetProbeCounts({.counters = counters});
    return {};
  }
  LogSize log_size() const override {
    return {.bytes = 1000,
            .expected_bytes = 1000,
            .has_outgrown = has_outgrown,
            .is_costly = is_costly};
  }
};

// Writes fail while `fails` is set, all or those behind a file's header.
struct FakeDisk final : SystemCalls {
  int fails = 0;
  bool has_room_for_header = false;
  ssize_t Pwrite(int fd, const void* bytes, size_t size, off_t offset) override {
    if (fails == 0 || (has_room_for_header && offset == 0))
      return SystemCalls::Pwrite(fd, bytes, size, offset);
    errno = fails;
    return -1;
  }
};

struct SnapshotWorld {
  TemporaryFolder files;
  std::filesystem::path folder = files.path();
  FakeJvm jvm;
  TemporaryLog lines;
  Log log;
  instrument::MemoryBudget budget;
  FakeRecorder source;
  FakeDisk disk;
  std::unique_ptr<Snapshots> snapshots;

  explicit SnapshotWorld(bool keeps_file = false,
                         std::chrono::milliseconds period = std::chrono::milliseconds(5000)) {
    REQUIRE(log.Open(lines.path()).ok());
    snapshots = std::make_unique<Snapshots>(
        SnapshotSettings{
            .path = Path(), .period = period, .most_bytes = 1 << 20, .keeps_file = keeps_file},
        SnapshotContent{.header = {}, .recorders = {&source}, .describe = [](RawSink&) {}}, log,
        budget, disk);
  }

  std::string Path(const std::string& name = "app.iraw") { return (folder / name).string(); }
  void Take() { snapshots->Take(jvm.jni()); }
  // The counter in a file; nothing if the file cannot be read.
  std::optional<uint64_t> Counter(const std::string& name = "app.iraw") {
    std::ifstream in(Path(name), std::ios::binary);
    const std::vector<uint8_t> bytes(std::istreambuf_iterator<char>(in), {});
    RawMemoryBytes memory(bytes);
    const Result<RawContents> contents = ReadRaw(memory, name);
    if (!contents.ok() || contents->counters.empty()) return std::nullopt;
    CHECK(contents->parts.contains("facts"));
    return contents->counters[0];
  }
  size_t Files() {
    return static_cast<size_t>(std::distance(std::filesystem::directory_iterator(folder), {}));
  }
  // All lines are, unless more is asked for.
  size_t Warnings() { return lines.lines().size(); }
};

}  // namespace iprof::vm
