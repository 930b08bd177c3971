// When a user may be told that overhead= was not reached.
#include "agent/vm/counting/settled_choice.h"

#include <catch2/catch.hpp>

namespace iprof::vm {
namespace {

TEST_CASE("without a choice the cost says nothing", "[settled_choice]") {
  SettledChoice choice;
  choice.Measured();
  CHECK_FALSE(choice.is_settled());
  choice.Chose(false);
  CHECK(choice.is_settled());
}

TEST_CASE("after methods froze, the cost has to be measured first", "[settled_choice]") {
  SettledChoice choice;
  choice.Measured();
  choice.Chose(true);
  CHECK_FALSE(choice.is_settled());
  choice.Measured();
  CHECK(choice.is_settled());
  choice.Chose(true);  // more of them: the limit was not reached before either
  CHECK(choice.is_settled());
}

TEST_CASE("after a rearm or a reset the next choice decides", "[settled_choice]") {
  for (const bool froze : {false, true}) {
    SettledChoice choice;
    choice.Chose(froze);
    choice.Forget();
    choice.Measured();
    choice.Measured();
    CHECK_FALSE(choice.is_settled());
    choice.Chose(froze);
    choice.Measured();
    CHECK(choice.is_settled());
  }
}

}  // namespace
}  // namespace iprof::vm
