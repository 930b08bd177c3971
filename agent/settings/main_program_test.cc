#include "agent/settings/main_program.h"

#include <catch2/catch.hpp>
#include <string>
#include <string_view>
#include <vector>

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

namespace {

// What a profile says of the program.
std::string Public(std::string_view java_command, const std::vector<std::string>& command_line,
                   std::string_view class_path = {}) {
  return PublicName(FromJavaCommand(java_command, command_line, class_path));
}

}  // namespace

TEST_CASE("behind -jar any file is named without its folder") {
  using Arguments = std::vector<std::string>;
  struct Case {
    const char* command;
    const char* file;
    const char* name;
  };
  for (const Case& each :
       {Case{"secretdir/jenkins.war --port 80", "secretdir/jenkins.war", "jenkins.war"},
        Case{"/a/b/noext", "/a/b/noext", "noext"}, Case{"dir/noext x/y", "dir/noext", "noext"},
        Case{"/my apps/of bob/tool x y", "/my apps/of bob/tool", "tool"},
        Case{"app.jar in/put", "app.jar", "app.jar"}}) {
    INFO(each.command);
    // As the class path, also with what agents append to it, or on the command line.
    CHECK(Public(each.command, {}, each.file) == each.name);
    CHECK(Public(each.command, {"java", "@options"}, each.file + std::string(":/x/agent.jar:y")) ==
          each.name);
    CHECK(Public(each.command, Arguments{"java", "-Xmx1g", "-jar", each.file, "x"}) == each.name);
  }
  CHECK(Public("/a:b/tool x", {}, "/a:b/tool") == "tool");
}

TEST_CASE("what is not behind -jar keeps its module, and arguments are no part of it") {
  CHECK(Public("acme.app/com.acme.Main a/b", {"java", "-p", "mods", "-m", "acme.app/com.acme.Main",
                                              "a/b"}) == "acme.app/com.acme.Main");
  CHECK(Public("acme/Main", {"java", "--module", "acme/Main", "-jar", "acme/Main"}) == "acme/Main");
  CHECK(Public("acme/Main", {"java", "--module=acme/Main"}, "") == "acme/Main");
  CHECK(Public("com.acme.Main a/b.war -jar /c/d",
               {"java", "-cp", "a/b.jar", "com.acme.Main", "a/b.war", "-jar", "/c/d"},
               "a/b.jar") == "com.acme.Main");
  CHECK(Public("Main", {"java", "-cp", "Main", "Main"}, "Main") == "Main");
}

TEST_CASE(
    "without a command line and a class path, the shape of the name decides whether it is a file") {
  CHECK(Public("/home/bob/tool", {}) == "tool");
  CHECK(Public("./tool", {}) == "tool");
  CHECK(Public("../x/tool", {}) == "tool");
  CHECK(Public("my-apps/tool", {}) == "tool");
  CHECK(Public("dir/app.war", {}) == "app.war");
  CHECK(Public("a/b/Main", {}) == "Main");
  CHECK(Public("acme.app/com.acme.Main$1_x", {}) == "acme.app/com.acme.Main$1_x");
  CHECK(Public("com.acme.Main", {}) == "com.acme.Main");
  CHECK(Public("", {}).empty());
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
