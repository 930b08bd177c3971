#include "agent/vm/session/control/tool_connection.h"

#include <catch2/catch.hpp>
#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "agent/vm/session/control/listening_tool.h"
#include "writer/base/temporary_folder.h"

namespace iprof::vm {
namespace {

using Clock = std::chrono::steady_clock;

TEST_CASE("the agent connects to a tool that calls, and answers", "[tool_connection]") {
  const TemporaryFolder folder;
  std::optional<ListeningTool> tool(folder / "agent");
  const auto agent = ToolConnection::To(folder / "agent", {});
  REQUIRE(agent.ok());
  CHECK((*agent)->IsThere());
  (*agent)->Answer({"attach", control::Outcome::kDone, "loaded"});
  CHECK(tool->Ask()->message == "loaded");
  tool.reset();
  CHECK_FALSE((*agent)->IsThere());
  CHECK_FALSE((*agent)->HasSaved());
}

TEST_CASE("a tool that cannot be answered", "[tool_connection]") {
  const TemporaryFolder folder;
  const auto why = [](const std::string& socket) {
    return ToolConnection::To(socket, {}).status().message();
  };
  CHECK(why(folder / "none") ==
        "the tool at '" + (folder / "none") + "' cannot be answered: No such file or directory");
  CHECK(why("/" + std::string(200, 'x')).ends_with("its name is too long"));
  CHECK(why("stop") ==
        "a tool of another release gave a command: use the tool of the agent's release");
}

TEST_CASE("only sockets of this user and of root are used", "[tool_connection]") {
  if (geteuid() != 0) return;
  const TemporaryFolder folder;
  const ListeningTool root(folder / "root");
  REQUIRE(seteuid(65534) == 0);
  const ListeningTool other("/tmp/iprof_other" + std::to_string(getpid()));
  REQUIRE(seteuid(0) == 0);
  const std::string path = "/tmp/iprof_other" + std::to_string(getpid());
  CHECK(ToolConnection::To(path, {}).status().message().ends_with("it is another user's"));
  unlink(path.c_str());
  CHECK(ToolConnection::To(folder / "root", {}).ok());
}

TEST_CASE("a tool that takes nothing does not keep a program that ends", "[tool_connection]") {
  const TemporaryFolder folder;
  ListeningTool tool(folder / "agent");
  const auto agent = ToolConnection::To(folder / "agent", [] { return true; });
  REQUIRE(agent.ok());
  const auto accepted = tool.Accept();
  const Clock::time_point start = Clock::now();
  CHECK_FALSE((*agent)->profile().Write(std::string(8 << 20, 'x')).ok());
  CHECK(Clock::now() - start < std::chrono::seconds(40));
}

}  // namespace
}  // namespace iprof::vm
