// Which name a command's profile gets while another process has the one that was asked for.
#include "cli/files/output_claim.h"

#include <fcntl.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <vector>

#include "writer/base/temporary_folder.h"

namespace iprof::cli {
namespace {

namespace fs = std::filesystem;

TEST_CASE("an earlier result is replaced, and nothing else that the user did not name") {
  const TemporaryFolder folder;
  const int quiet = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
  REQUIRE(quiet >= 0);
  Console console(quiet, quiet);
  const std::string asked = folder / "app.iprof";
  for (const char* const name : {"app.1.iprof", "app.2.iprof", "app.3.iprof"})
    std::ofstream(folder / name) << "there";
  fs::create_symlink("app.1.iprof", folder / "app.4.iprof");
  std::vector<std::string> looked_at;
  const auto taken = [&](const std::string& earlier) {
    looked_at.clear();
    std::string path = asked;
    const auto claim = ClaimOutput(console, path, [&](const std::string& there) {
      looked_at.push_back(fs::path(there).filename().string());
      return looked_at.back() == earlier;
    });
    REQUIRE(claim.ok());
    CHECK((path == asked || claim->is_held()));
    return fs::path(path).filename().string();
  };
  CHECK(taken("app.1.iprof") == "app.iprof");  // it is free
  CHECK(looked_at.empty());

  const Result<vm::OutClaim> of_jvm = vm::OutClaim::Take(asked);
  REQUIRE(of_jvm.ok());
  CHECK(taken("app.2.iprof") == "app.2.iprof");
  CHECK(looked_at == std::vector<std::string>{"app.3.iprof", "app.2.iprof"});
  CHECK(taken("none") == "app.5.iprof");
  CHECK(looked_at == std::vector<std::string>{"app.3.iprof", "app.2.iprof", "app.1.iprof"});
  std::string path = asked;
  CHECK(ClaimOutput(console, path).ok());
  CHECK(path == folder / "app.5.iprof");
  // Another command writes it.
  const Result<vm::OutClaim> of_command = vm::OutClaim::Take(folder / "app.2.iprof");
  REQUIRE(of_command.ok());
  CHECK(taken("app.2.iprof") == "app.5.iprof");
  // Of many, the last few are read.
  for (int number = 5; number < 40; ++number)
    std::ofstream(folder / ("app." + std::to_string(number) + ".iprof")) << "there";
  CHECK(taken("none") == "app.40.iprof");
  CHECK(looked_at.size() == 10);
  ::close(quiet);
}

}  // namespace
}  // namespace iprof::cli
