// The JVM's compilation settings, from its flags.
#include "agent/vm/counting/compiler_settings.h"

#include <catch2/catch.hpp>
#include <cstdio>
#include <fstream>
#include <map>

namespace iprof::vm {
namespace {

CompilerSettings Read(std::map<std::string, std::string> texts,
                      std::optional<bool> dont_compile_huge = true) {
  return ReadCompilerSettings(
      {.boolean = [&](std::string_view name) -> std::optional<bool> {
         return name == "DontCompileHugeMethods" ? dont_compile_huge : std::nullopt;
       },
       .text = [&](std::string_view name) -> std::optional<std::string> {
         const auto found = texts.find(std::string(name));
         return found == texts.end() ? std::nullopt : std::optional(found->second);
       },
       .last_argument = [](std::string_view) -> std::optional<std::string> { return {}; }});
}

TEST_CASE("huge methods: HotSpot's limit, unless it was lifted") {
  CHECK(Read({}).huge_method_limit == 8000);
  CHECK(Read({}, std::nullopt).huge_method_limit == 8000);
  CHECK(Read({}, false).huge_method_limit == 0);
}

TEST_CASE("black holes: on the command line, in a file, or where the file is gone") {
  CHECK_FALSE(Read({}).black_holes);
  CHECK_FALSE(Read({{"CompileCommand", "quiet\ninline,a.B::c"}}).black_holes);
  CHECK(Read({{"CompileCommand", "quiet\nBlackhole,a.B::sink"}}).black_holes);
  const std::string path = "compiler_settings_test.commands";
  std::ofstream(path) << "quiet\nblackhole,a/B.sink\n";
  CHECK(Read({{"CompileCommandFile", path}}).black_holes);
  std::ofstream(path) << "quiet\n";
  CHECK_FALSE(Read({{"CompileCommandFile", path}}).black_holes);
  std::remove(path.c_str());
  CHECK(Read({{"CompileCommandFile", path}}).black_holes);
}

}  // namespace
}  // namespace iprof::vm
