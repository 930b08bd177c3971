#include "cli/files/profile_names.h"

#include <catch2/catch.hpp>
#include <fstream>
#include <string>

#include "writer/base/temporary_folder.h"

namespace iprof::cli {
namespace {

TEST_CASE("names of profiles by their ends") {
  for (const char* name : {"app.iprof", "a/app.iprof.gz", "app.1.iraw"}) {
    INFO(name);
    CHECK(HasProfileName(name));
  }
  for (const char* name :
       {"app", "app.json", "iprof", "app.iprof.tmp", "app.gz", ".partial", "app.1.partial", ""}) {
    INFO(name);
    CHECK_FALSE(HasProfileName(name));
    CHECK(WithoutProfileSuffix(name) == name);
  }
  CHECK(WithoutProfileSuffix("a.iprof/app.1.iprof.gz") == "a.iprof/app.1");
}

TEST_CASE("an output without a name is beside the input, and replaces nothing") {
  const TemporaryFolder folder;
  const std::string html = folder / "app.html";
  CHECK(*OutputBeside(folder / "app.iprof.gz", ".html", "page") == html);
  CHECK(*OutputBeside(folder / "other.json", "-changes.html", "page") ==
        folder / "other.json-changes.html");
  CHECK(*OutputBeside(folder / "new.iprof.old", ".iprof", "profile") == folder / "new.iprof");
  CHECK(*OutputBeside(folder / "new.iprof.gz", ".iprof", "profile") == folder / "new.iprof");
  std::ofstream(html) << "mine";
  const Status refused = OutputBeside(folder / "app.iraw", ".html", "page").status();
  CHECK(refused.code() == Code::kUsage);
  CHECK(refused.message() == html + " is there already: '-o " + html +
                                 "' replaces it, and with another name after -o it stays");
  const Status nameless = OutputBeside("-", ".html", "page").status();
  CHECK(nameless.code() == Code::kUsage);
  CHECK(nameless.message() == "standard input has no name: say with -o where the page goes");
}

}  // namespace
}  // namespace iprof::cli
