#include "writer/records/context_samples.h"

#include <catch2/catch.hpp>

namespace iprof {
namespace {

ContextSamples Example() {
  ContextSamples samples;
  samples.methods = {{"a.B", "f", "(I)V"}, {"a.C$D/0x1", "\xc3\xa9", "()Ljava/lang/Object;"}};
  samples.types = {"a.X", "[I"};
  samples.sites = {{true, 0, 12, {{1, 300, {{1, 65534}, {0, 3}}}, {0, 1, {}}}},
                   {false, 1, 7, {{19, 2, {{0, 0}}}}}};
  return samples;
}

TEST_CASE("context samples are read as they were written") {
  const ContextSamples samples = Example();
  CHECK(DecodeContextSamples(EncodeContextSamples(samples)) == samples);
  CHECK(DecodeContextSamples(EncodeContextSamples({})) == ContextSamples{});
}

TEST_CASE("texts that are no context samples are refused") {
  const std::string whole = EncodeContextSamples(Example());
  for (size_t length = 0; length < whole.size(); ++length)
    CHECK_FALSE(DecodeContextSamples(whole.substr(0, length)));
  CHECK_FALSE(DecodeContextSamples("{\"samples\":\"A-==\"}"));
  // A number of methods that the text has no room for.
  CHECK_FALSE(DecodeContextSamples("{\"samples\":\"////\"}"));
  ContextSamples wrong = Example();
  wrong.sites[0].method = 2;
  CHECK_FALSE(DecodeContextSamples(EncodeContextSamples(wrong)));
  wrong = Example();
  wrong.sites[0].stacks[0].outcome = 2;
  CHECK_FALSE(DecodeContextSamples(EncodeContextSamples(wrong)));
  // More callers than a context can have.
  wrong = Example();
  wrong.sites[0].stacks[0].callers.resize(64, {1, 2});
  CHECK(DecodeContextSamples(EncodeContextSamples(wrong)) == wrong);
  wrong.sites[0].stacks[0].callers.resize(65, {1, 2});
  CHECK_FALSE(DecodeContextSamples(EncodeContextSamples(wrong)));
}

}  // namespace
}  // namespace iprof
