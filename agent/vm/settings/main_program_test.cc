#include "agent/vm/settings/main_program.h"

#include <catch2/catch.hpp>
#include <string>

using namespace iprof::vm;

TEST_CASE("the program is the first word of the java command") {
  CHECK(FromJavaCommand("com.acme.Main a b", {}).name == "com.acme.Main");
  CHECK(FromJavaCommand("/opt/tool.jar", {}).name == "/opt/tool.jar");
}

TEST_CASE("a jar whose path has blanks is found in the command line") {
  CHECK(FromJavaCommand("/my apps/tool.jar x y", {"java", "-jar", "/my apps/tool.jar", "x", "y"})
            .name == "/my apps/tool.jar");
  CHECK(FromJavaCommand("Main x y", {"java", "Main", "x", "y"}).name == "Main");
}

TEST_CASE("only= matches class, jar path, jar name and module class") {
  const MainProgram main{"com.acme.Main"};
  CHECK(SelectedBy(main, {}));
  CHECK(SelectedBy(main, {"x", "com.acme.*"}));
  CHECK_FALSE(SelectedBy(main, {"acme"}));
  const MainProgram jar{"/opt/acme/tool.jar"};
  CHECK(SelectedBy(jar, {"tool.jar"}));
  CHECK(SelectedBy(jar, {"/opt/acme/*"}));
  CHECK_FALSE(SelectedBy(jar, {"tool"}));
  CHECK(SelectedBy(MainProgram{"acme.app/com.acme.Main"}, {"com.acme.Main"}));
}

TEST_CASE("this process has a command line and an executable") {
  CHECK_FALSE(CurrentCommandLine().empty());
  CHECK(ExecutableName().find('/') == std::string::npos);
  CHECK_FALSE(ExecutableName().empty());
}
