#include "writer/base/run_id.h"

#include <catch2/catch.hpp>
#include <cerrno>
#include <cstring>
#include <set>

namespace iprof {
namespace {

struct Random final : SystemCalls {
  ssize_t result = 0;
  ssize_t Getrandom(void* into, size_t size, unsigned) override {
    std::memset(into, 7, size);
    errno = EAGAIN;
    return result;
  }
};

TEST_CASE("an identity is read as it was written") {
  const RunId id{0x5b1c09f7d2a84e66, 0x1e0f4a7b265};
  CHECK(id.Text() == "5b1c09f7d2a84e66000001e0f4a7b265");
  CHECK(RunId::Parse(id.Text()) == id);
  CHECK(RunId().Text().empty());
  CHECK_FALSE(RunId().is_known());
  for (const char* const text :
       {"", "5b1c", "5b1c09f7d2a84e66000001e0f4a7b26x", "-b1c09f7d2a84e66000001e0f4a7b265",
        "5b1c09f7d2a84e66000001e0f4a7b2650"})
    CHECK_FALSE(RunId::Parse(text).is_known());
}

TEST_CASE("runs differ") {
  std::set<RunId> ids;
  for (int i = 0; i < 1000; ++i) ids.insert(RunId::Make());
  CHECK(ids.size() == 1000);
  CHECK_FALSE(ids.contains(RunId()));
}

TEST_CASE("where the system has no random numbers, an identity is not known") {
  Random random;
  random.result = sizeof(RunId);
  CHECK(RunId::Make(random).is_known());
  for (const ssize_t result : {-1, 0, 15}) {
    random.result = result;
    CHECK_FALSE(RunId::Make(random).is_known());
  }
}

}  // namespace
}  // namespace iprof
