#include "cli/files/replaced_inputs.h"

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

TEST_CASE("an output that is an input of another format is refused, also through a link") {
  const TemporaryFolder folder;
  const auto path = [&](const char* name) { return folder / name; };
  std::ofstream(path("core")) << "core";
  std::ofstream(path("other")) << "other";
  fs::create_symlink("core", path("symbolic"));
  fs::create_hard_link(path("core"), path("hard"));
  const std::vector<std::string> inputs{"", path("absent"), path("core")};
  const auto said = [&](const std::string& output) {
    return CheckReplacesNone(output, inputs, "profile").message();
  };
  const std::string rest = ", which the profile would replace: give the profile another name";
  CHECK(said(path("core")) == path("core") + " is an input" + rest);
  for (const char* link : {"symbolic", "hard"})
    CHECK(said(path(link)) == path(link) + " is the same file as " + path("core") + rest);
  for (const std::string& output : {std::string(), std::string("-"), path("other"), path("new"),
                                    folder.path().string(), std::string("/dev/null")})
    CHECK(said(output).empty());
  CHECK(CheckReplacesNone("/dev/null", std::vector<std::string>{"/dev/null"}, "profile").ok());
}

}  // namespace
}  // namespace iprof::cli
