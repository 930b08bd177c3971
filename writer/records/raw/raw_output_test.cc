// The file of a RawWriter, when other programs do something with it or its name.
#include "writer/records/raw/raw_output.h"

#include <unistd.h>

#include <array>
#include <catch2/catch.hpp>
#include <cerrno>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <string>

#include "writer/base/temporary_folder.h"

namespace iprof {
namespace {

namespace fs = std::filesystem;

constexpr std::array<uint8_t, 3> kBytes{1, 2, 3};

// Looking at a file by its name fails, once that is asked for.
class Blind final : public SystemCalls {
 public:
  int Fstatat(int folder, const char* name, struct stat* result, int flags) override {
    if (fails == 0 || *name == '\0') return SystemCalls::Fstatat(folder, name, result, flags);
    errno = fails;
    return -1;
  }
  int fails = 0;
};

std::unique_ptr<RawOutput> Create(const std::string& path,
                                  SystemCalls& calls = SystemCalls::Real()) {
  auto output = RawOutput::Create([&](int) { return path; }, calls);
  if (!output.ok()) FAIL(output.status().message());
  REQUIRE((*output)->Write(kBytes, 0).ok());
  return std::move(*output);
}

TEST_CASE("a file that was moved is noticed and left alone, and another one can have its name") {
  const TemporaryFolder folder;
  const std::string path = folder / "a.iraw";
  const auto output = Create(path);
  CHECK(output->Check().ok());
  fs::rename(path, folder / "moved.iraw");
  const bool is_taken = GENERATE(false, true);
  if (is_taken) std::ofstream(path) << "another program's";
  CHECK(output->Check().message() == path + ": was moved by another program");
  const auto next = output->Replacement();
  REQUIRE(next.ok());
  REQUIRE((*next)->Write(kBytes, 0).ok());
  CHECK((*next)->Check().ok());  // its own name is a temporary one
  CHECK((*next)->TakePlace().ok() == !is_taken);
  CHECK((*next)->name_is_taken() == is_taken);
  output->Remove();
  (*next)->Remove();
  CHECK(fs::exists(path) == is_taken);
  CHECK(fs::file_size(folder / "moved.iraw") == kBytes.size());
}

TEST_CASE("a file whose folder was moved goes on, because it still has its name there") {
  const TemporaryFolder folder;
  fs::create_directory(folder / "before");
  const auto output = Create(folder / "before/a.iraw");
  fs::rename(folder / "before", folder / "after");
  CHECK(output->Check().ok());
  output->Remove();
  CHECK(fs::is_empty(folder / "after"));
}

TEST_CASE("a file whose folder cannot be looked at is not taken for moved") {
  const TemporaryFolder folder;
  Blind calls;
  const auto output = Create(folder / "a.iraw", calls);
  calls.fails = EACCES;
  CHECK(output->Check().ok());
}

// app.iraw, app.1.iraw and so on, up to `most`.
std::function<std::string(int)> NamesIn(const TemporaryFolder& folder, int most) {
  return [&folder, most](int attempt) {
    if (attempt >= most) return std::string();
    return folder / (attempt == 0 ? "app.iraw" : "app." + std::to_string(attempt) + ".iraw");
  };
}

TEST_CASE("a name that cannot be used is passed over as one that is taken") {
  const TemporaryFolder folder;
  fs::create_symlink("app.iraw", folder / "app.iraw");  // leads to itself
  fs::create_directory(folder / "app.1.iraw");
  const auto output = RawOutput::Create(NamesIn(folder, 3), SystemCalls::Real());
  REQUIRE(output.ok());
  CHECK((*output)->path() == folder / "app.2.iraw");
}

TEST_CASE("another user's link is passed over, too") {
  if (geteuid() != 0) return;
  const TemporaryFolder folder;
  fs::create_symlink("victim", folder / "app.iraw");
  REQUIRE(lchown((folder / "app.iraw").c_str(), 4002, static_cast<gid_t>(-1)) == 0);
  const auto output = RawOutput::Create(NamesIn(folder, 10), SystemCalls::Real());
  REQUIRE(output.ok());
  CHECK((*output)->path() == folder / "app.1.iraw");
  CHECK_FALSE(fs::exists(folder / "victim"));
}

TEST_CASE("if no name can be used, the failure is that of the first one") {
  const TemporaryFolder folder;
  fs::create_symlink("app.iraw", folder / "app.iraw");
  fs::create_symlink("app.1.iraw", folder / "app.1.iraw");
  const auto links = RawOutput::Create(NamesIn(folder, 2), SystemCalls::Real());
  REQUIRE_FALSE(links.ok());
  CHECK(links.status().code() == Code::kIo);
  CHECK(links.status().message().starts_with((folder / "app.iraw") + ": cannot create: "));
  std::ofstream(folder / "app.2.iraw") << "x";
  const auto mixed = RawOutput::Create(NamesIn(folder, 3), SystemCalls::Real());
  REQUIRE_FALSE(mixed.ok());
  CHECK(mixed.status().code() == Code::kLimit);
}

}  // namespace
}  // namespace iprof
