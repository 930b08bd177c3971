// What is left of a file that was full, or that is damaged, has no wrong shares and does not claim to be exact.
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <set>
#include <sstream>

#include "writer/profile/io/agent_section.h"
#include "writer/profile/io/run_note.h"
#include "writer/records/raw/raw_profile.h"
#include "writer/records/raw/raw_records.h"
#include "writer/records/raw/test_program.h"

namespace iprof {
namespace {

class OneFile {
 public:
  explicit OneFile(uint64_t most_bytes = 64 << 20)
      : path_((std::filesystem::temp_directory_path() /
               ("iprof_raw_losses_" + std::to_string(getpid()) + ".iraw"))
                  .string()) {
    RawHeader header = LoadingProgram::Header();
    header.assembly.max_lost = 0;  // so that each share is exact or not told
    auto created = RawWriter::Create([this](int) { return path_; }, header, {most_bytes});
    REQUIRE(created.ok());
    writer = std::move(*created);
  }
  ~OneFile() { writer->Remove(); }
  std::vector<uint8_t> Bytes() const {
    std::ifstream file(path_, std::ios::binary);
    const std::string text((std::istreambuf_iterator<char>(file)), {});
    return {text.begin(), text.end()};
  }

  std::unique_ptr<RawWriter> writer;

 private:
  const std::string path_;
};

Result<RawContents> Read(const std::vector<uint8_t>& bytes) {
  RawMemoryBytes file(bytes);
  return ReadRaw(file, "a.iraw");
}

RawProfile Recover(const std::vector<uint8_t>& bytes) {
  const Result<RawContents> contents = Read(bytes);
  if (!contents.ok()) FAIL(contents.status().message());
  return MakeRawProfile(*contents);
}

// The lines of branches and receivers: their shares are what an image build uses.
std::set<std::string> Shares(const std::string& text) {
  std::set<std::string> shares;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    for (const Table table : {Table::kConditionals, Table::kVirtualInvokes}) {
      if (line.starts_with(std::string(TableKey(table)) + " ")) shares.insert(line);
    }
  }
  return shares;
}

size_t WrongShares(const Profile& profile, const std::set<std::string>& truth) {
  size_t wrong = 0;
  for (const std::string& line : Shares(TextOf(profile))) {
    if (truth.contains(line)) continue;
    UNSCOPED_INFO(line);
    ++wrong;
  }
  return wrong;
}

TEST_CASE("sites whose types have no room in a full file have no receivers, instead of a part") {
  OneFile file(512 << 10);
  LoadingProgram program(5);
  for (int period = 0; period < 20; ++period) {
    for (int c = 0; c < 60; ++c) program.Load(2);
    program.Run(400);
    REQUIRE(program.Publish(*file.writer).status.ok());
  }
  REQUIRE(file.writer->losses().pairs > 0);
  const RawProfile made = Recover(file.Bytes());
  CHECK(WrongShares(made.profile, Shares(program.TruthText())) == 0);
  CHECK(made.profile.entry_count(Table::kVirtualInvokes) > 10);
  CHECK(made.note.lost_counts > 0);
}

TEST_CASE("damage anywhere gives no wrong shares") {
  OneFile file;
  LoadingProgram program(8);
  for (int c = 0; c < 150; ++c) program.Load(3);
  std::set<std::string> truth;
  for (int period = 0; period < 2; ++period) {
    program.Run(1500);
    REQUIRE(program.Publish(*file.writer).status.ok());
    truth.merge(Shares(program.TruthText()));
  }
  const std::vector<uint8_t> whole = file.Bytes();
  const size_t all = Recover(whole).profile.entry_count(Table::kVirtualInvokes);
  std::mt19937 random(9);
  size_t partial = 0;
  for (int round = 0; round < 150; ++round) {
    std::vector<uint8_t> bytes = whole;
    for (size_t changes = 1 + random() % 3; changes > 0; --changes)
      bytes[kRawFirstExtent + random() % (bytes.size() - kRawFirstExtent)] ^=
          static_cast<uint8_t>(1 << random() % 8);
    if (random() % 4 == 0) bytes.resize(bytes.size() - random() % (bytes.size() / 2));
    const Result<RawContents> contents = Read(bytes);
    if (!contents.ok()) continue;
    const RawProfile made = MakeRawProfile(*contents);
    REQUIRE(WrongShares(made.profile, truth) == 0);
    if (made.profile.entry_count(Table::kVirtualInvokes) == all) continue;
    ++partial;
    REQUIRE(made.note.damaged_records + made.note.newer_damaged > 0);
  }
  CHECK(partial > 0);
}

TEST_CASE("a method with a damaged counter has no counts") {
  ClassRecord klass;
  klass.name = "test/A";
  for (const std::string_view name : {"whole", "torn"}) {
    MethodRecord code;
    code.derivation.counter_count = 2;
    code.branches = {{1, BranchKind::kIf, 2}};
    code.successors = {{10, 0}, {4, 1}};
    CountedMethod method;
    method.name = name;
    method.descriptor = "()V";
    method.record = static_cast<uint32_t>(klass.records.size());
    method.rewritten = true;
    method.counters = 2;
    // The second counter of "torn" is the first one of a page.
    method.first = CounterIndex{name == "torn" ? static_cast<uint32_t>(kRawPageWords) - 1 : 0};
    EncodeMethodRecord(code, &klass.records);
    klass.methods.push_back(method);
  }
  OneFile file;
  file.writer->AddClass(0, klass);
  std::vector<uint64_t> counters(kRawPageWords + 1);
  counters[0] = counters[1] = 111'222'333'444;
  counters[kRawPageWords - 1] = 555'666'777'888;
  counters[kRawPageWords] = 999'000'111'222;
  REQUIRE(file.writer->Publish({.time_ns = 1, .counters = counters}).status.ok());
  std::vector<uint8_t> bytes = file.Bytes();
  const std::string before = TextOf(Recover(bytes).profile);
  CHECK(before.find("test.A.torn()void:1 = 10:555666777888 4:999000111222") != std::string::npos);
  const auto* const number = reinterpret_cast<const uint8_t*>(&counters.back());
  const auto at = std::search(bytes.begin(), bytes.end(), number, number + sizeof(uint64_t));
  REQUIRE(at != bytes.end());
  *at ^= 1;
  const RawProfile made = Recover(bytes);
  CHECK(made.note.damaged_records == 1);
  const std::string after = TextOf(made.profile);
  CHECK(after.find("test.A.torn") == std::string::npos);
  CHECK(after.find("test.A.whole()void:1 = 10:111222333444 4:111222333444") != std::string::npos);
}

TEST_CASE("nothing is at rest if the frames that were live are damaged") {
  OneFile file;
  const std::string name = "test/A.m()V";
  const std::pair<std::string_view, uint64_t> live{name, 1};
  REQUIRE(
      file.writer->Publish({.time_ns = 1, .live_frames = {&live, 1}, .at_rest = true}).status.ok());
  std::vector<uint8_t> bytes = file.Bytes();
  CHECK(Read(bytes)->at_rest);
  const auto at = std::search(bytes.begin(), bytes.end(), name.begin(), name.end());
  REQUIRE(at != bytes.end());
  *at ^= 1;
  const Result<RawContents> contents = Read(bytes);
  REQUIRE(contents.ok());
  CHECK_FALSE(contents->at_rest);
  CHECK(contents->damaged_pages == 1);
}

// The log of a site 1 with 1,000 objects and a site 2 with 100.
RawContents ReadPairs(const std::vector<uint64_t>& counts, const RawRanges& damaged,
                      bool is_record_damaged) {
  std::vector<uint8_t> log;
  const auto add = [&](const RawRecord& record) {
    log.insert(log.end(), record.begin(), record.end());
  };
  add(EncodeRawPair(0, 1, "a.A"));
  add(EncodeRawPair(1, 2, "a.A"));
  const size_t last = log.size();
  add(EncodeRawPair(2, 2, "a.B"));
  if (is_record_damaged) log[last + 3] ^= 1;
  RawContents contents;
  contents.log = std::make_shared<const std::vector<uint8_t>>(std::move(log));
  ReadRawRecords(*contents.log, {.pairs = counts, .stacks = {}, .damaged_pairs = damaged},
                 &contents);
  return contents;
}

TEST_CASE("objects whose site and type are damaged may be those of any site") {
  const RawContents whole = ReadPairs({1000, 90, 10}, {}, false);
  CHECK(whole.types.Sites() == std::vector<uint32_t>{1, 2});
  CHECK(whole.doubtful_pairs == 0);
  // Ten of 1,010 are fewer than the 2 % that may be lost.
  const RawContents few = ReadPairs({1000, 90, 10}, {}, true);
  CHECK(few.types.Sites() == std::vector<uint32_t>{1});
  CHECK(few.doubtful_pairs == 1);
  const RawContents many = ReadPairs({1000, 90, 30}, {}, true);
  CHECK(many.types.Sites().empty());
  CHECK(many.doubtful_pairs == 2);
  CHECK(ReadPairs({1000, 90, 0}, {}, true).types.Sites() == std::vector<uint32_t>{1, 2});
}

TEST_CASE("a site with a damaged count has no receivers") {
  const RawContents contents = ReadPairs({1000, 90, 0}, {{2, 514}}, false);
  CHECK(contents.types.Sites() == std::vector<uint32_t>{1});
  CHECK(contents.doubtful_pairs == 1);
  // The file ends before the count.
  CHECK(ReadPairs({1000, 90}, {{2, 514}}, false).types.Sites() == std::vector<uint32_t>{1});
  // Neither the site nor how many objects.
  CHECK(ReadPairs({1000, 90, 0}, {{2, 514}}, true).types.Sites().empty());
}

TEST_CASE("a full file keeps what is known of the run, and is not exact without its live frames") {
  OneFile file(kLeastRawBytes);
  for (uint32_t number = 0; number < 10'000; ++number)
    file.writer->AddType("test/T", "test.T" + std::to_string(number), {});
  RunList runs;
  RunNote run;
  run.start_ms = 1;
  runs.Add(run);
  const std::string json = runs.ToJson();
  const RawPart parts[] = {{kProvenancePart, json}, {"sampling", "{}"}};
  std::vector<std::string> names;
  for (int m = 0; m < 1000; ++m) names.push_back("test/T.method" + std::to_string(m) + "()V");
  std::vector<std::pair<std::string_view, uint64_t>> live;
  for (const std::string& name : names) live.emplace_back(name, 1);
  const auto publish = [&](std::span<const std::pair<std::string_view, uint64_t>> frames) {
    REQUIRE(
        file.writer->Publish({.time_ns = 1, .parts = parts, .live_frames = frames, .at_rest = true})
            .status.ok());
    return Read(file.Bytes());
  };
  CHECK(publish(std::span(live).first(10))->at_rest);
  CHECK(file.writer->losses().parts == 0);
  const Result<RawContents> contents = publish(live);
  REQUIRE(contents.ok());
  CHECK_FALSE(contents->at_rest);
  CHECK(contents->live_frames.empty());
  CHECK(contents->parts.size() == 2);
  CHECK(contents->losses.parts == 1);
  const RawProfile made = MakeRawProfile(*contents);
  CHECK(RunList::Of(made.profile).Runs().size() == 1);
  CHECK(made.note.lost_notes == 1);
  CHECK(made.note.lost_other > 1);  // types, too
}

}  // namespace
}  // namespace iprof
