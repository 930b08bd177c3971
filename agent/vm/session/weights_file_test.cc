#include "agent/vm/session/weights_file.h"

#include <sys/stat.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "writer/base/temporary_folder.h"
#include "writer/profile/io/byte_stream.h"

namespace iprof::vm {
namespace {

constexpr std::string_view kText =
    R"({"version":"1.0.0","types":[{"id":8,"name":"void"},{"id":10,"name":"a.B"}],
"methods":[{"id":0,"name":"m","signature":[10,8]}],
"conditionalProfiles":[{"ctx":"0:3","records":[9,0,1,6,1,10]}]})";

std::string MessageFor(const std::string& path, uint64_t most = kMostWeightsBytes) {
  const auto read = ReadWeights(path, most);
  REQUIRE_FALSE(read.ok());
  return read.status().message();
}

std::string Gzipped(std::string_view text) {
  StringSink sink;
  const auto gzip = MakeGzipSink(sink);
  REQUIRE(gzip->Write(text).ok());
  REQUIRE(gzip->Finish().ok());
  return sink.text();
}

TEST_CASE("weights: a profile, plain or compressed") {
  const TemporaryFolder folder;
  for (const std::string& path :
       {folder.Write("a.iprof", kText), folder.Write("a.iprof.gz", Gzipped(kText))}) {
    const auto read = ReadWeights(path);
    INFO(read.status().message());
    REQUIRE(read.ok());
    CHECK((*read)->branches() == 1);
    CHECK((*read)->bytes() > 0);
  }
}

TEST_CASE("weights: what is no profile is refused in one sentence that names option and file") {
  const TemporaryFolder folder;
  const std::string missing = folder / "no.iprof";
  CHECK(MessageFor(missing) ==
        "option 'weights': " + missing + ": cannot open: No such file or directory");
  CHECK(MessageFor(folder.path().string()) ==
        "option 'weights': " + folder.path().string() + ": cannot open: it is a directory");
  const std::string pipe = folder / "pipe";
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  CHECK(MessageFor(pipe) == "option 'weights': " + pipe + ": cannot open: it is a named pipe");
  const std::string text = folder.Write("text", "hello\n");
  CHECK(MessageFor(text) ==
        "option 'weights': " + text + ": not an iprof profile: it is no JSON object");
  const std::string half = folder.Write("half", kText.substr(0, kText.size() / 2));
  CHECK(MessageFor(half).starts_with("option 'weights': " + half));
}

TEST_CASE("weights: a profile that would take long is refused, also if it is compressed") {
  const TemporaryFolder folder;
  std::string large(kText);
  large.insert(large.size() - 1, 3 << 20, ' ');
  const std::string plain = folder.Write("large", large);
  const std::string packed = folder.Write("large.gz", Gzipped(large));
  constexpr uint64_t kMost = 2 << 20;
  CHECK(MessageFor(plain, kMost) == "option 'weights': " + plain + " is larger than 2 MiB");
  CHECK(MessageFor(packed, kMost).starts_with("option 'weights': " + packed));
  CHECK(ReadWeights(packed).ok());
}

}  // namespace
}  // namespace iprof::vm
