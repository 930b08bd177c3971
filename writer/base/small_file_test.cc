#include "writer/base/small_file.h"

#include <unistd.h>

#include <catch2/catch.hpp>
#include <fstream>
#include <string>

namespace iprof {
namespace {

class Written {
 public:
  explicit Written(const std::string& text) { std::ofstream(path) << text; }
  ~Written() { unlink(path.c_str()); }
  Written(const Written&) = delete;
  Written& operator=(const Written&) = delete;
  const std::string path = "/tmp/iprof_small_file_test" + std::to_string(getpid());
};

TEST_CASE("a file of any size is read whole") {
  for (const size_t size : {size_t{0}, size_t{1}, size_t{4096}, size_t{10000}}) {
    const std::string text(size, 'x');
    const Written file(text);
    CHECK(ReadSmallFile(file.path) == text);
  }
  const Written binary(std::string("a\0b", 3));
  CHECK(ReadSmallFile(binary.path) == std::string("a\0b", 3));
}

TEST_CASE("what is behind the limit is left out") {
  const Written file(std::string(10000, 'x'));
  for (const size_t most : {size_t{0}, size_t{1}, size_t{5000}})
    CHECK(ReadSmallFile(file.path, most) == std::string(most, 'x'));
}

TEST_CASE("files of the system have no size, but content") {
  const auto text = ReadSmallFile("/proc/self/stat");
  REQUIRE(text.has_value());
  CHECK(text->starts_with(std::to_string(getpid())));
}

TEST_CASE("what cannot be read is nullopt") {
  CHECK_FALSE(ReadSmallFile("/no such folder/file").has_value());
  CHECK_FALSE(ReadSmallFile("/tmp").has_value());
}

}  // namespace
}  // namespace iprof
