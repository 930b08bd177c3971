// The Java test java.callers checks on JVMs that names and positions are those of real lambdas.
#include "agent/instrument/names/lambda_code.h"

#include <catch2/catch.hpp>
#include <string>

namespace iprof::instrument {
namespace {

LambdaSite SiteOf(std::string_view method, const classfile::LambdaShape& shape) {
  return {.method = nullptr, .call = {}, .number = 0, .interface_method = method, .shape = shape};
}

std::optional<LambdaCode> Made(const LambdaSite& site) {
  return LambdaCodeOf("a/B", site, NamingRule::k17);
}

TEST_CASE("a lambda without parameters calls its body first") {
  const auto code = Made(SiteOf("run", {.factory = "()Ljava/lang/Runnable;",
                                        .erased = "()V",
                                        .known = "()V",
                                        .kind = 6,
                                        .owner = "a/B",
                                        .name = "lambda$main$0",
                                        .descriptor = "()V",
                                        .markers = {}}));
  REQUIRE(code);
  CHECK(code->bci == 0);
  CHECK(code->method == "run");
  CHECK(code->descriptor == "()V");
  CHECK(code->callee == Callee{"a/B", "lambda$main$0", "()V", false});
  CHECK(code->class_name == *LambdaBaseName({.class_name = "a/B$$Lambda",
                                             .calls = {{"a/B", "lambda$main$0", "()V"}},
                                             .constructors = {},
                                             .interfaces = {}},
                                            NamingRule::k17));
}

TEST_CASE("captured values, parameters and casts precede the call") {
  // this and a long are captured; the parameter is an Object for the interface and a String for the body
  const auto code = Made(SiteOf("apply", {.factory = "(La/B;J)Ljava/util/function/Function;",
                                          .erased = "(Ljava/lang/Object;)Ljava/lang/Object;",
                                          .known = "(Ljava/lang/String;)Ljava/lang/Object;",
                                          .kind = 5,
                                          .owner = "a/B",
                                          .name = "lambda$main$1",
                                          .descriptor = "(JLjava/lang/String;)Ljava/lang/Object;",
                                          .markers = {}}));
  REQUIRE(code);
  CHECK(code->bci == 2 * (1 + 3) + 1 + 3);
  CHECK(code->callee.virtual_call);
}

TEST_CASE("later parameters are loaded by longer instructions") {
  const auto code = Made(SiteOf("f", {.factory = "()La/I;",
                                      .erased = "(JDI)V",
                                      .known = "(JDI)V",
                                      .kind = 6,
                                      .owner = "a/B",
                                      .name = "g",
                                      .descriptor = "(JDI)V",
                                      .markers = {}}));
  REQUIRE(code);
  CHECK(code->bci == 1 + 1 + 2);  // locals 1, 3 and 5
}

TEST_CASE("a constructor's object is made first") {
  const auto code = Made(SiteOf("get", {.factory = "()Ljava/util/function/Supplier;",
                                        .erased = "()Ljava/lang/Object;",
                                        .known = "()La/C;",
                                        .kind = 8,
                                        .owner = "a/C",
                                        .name = "<init>",
                                        .descriptor = "()V",
                                        .markers = {}}));
  REQUIRE(code);
  CHECK(code->bci == 4);
}

TEST_CASE("conversions of primitive values are not known") {
  CHECK_FALSE(Made(SiteOf("apply", {.factory = "()Ljava/util/function/Function;",
                                    .erased = "(Ljava/lang/Object;)Ljava/lang/Object;",
                                    .known = "(Ljava/lang/Integer;)Ljava/lang/Object;",
                                    .kind = 6,
                                    .owner = "a/B",
                                    .name = "f",
                                    .descriptor = "(I)Ljava/lang/Object;",
                                    .markers = {}})));
  CHECK_FALSE(Made(SiteOf("f", {.factory = "()La/I;",
                                .erased = "(I)V",
                                .known = "(I)V",
                                .kind = 6,
                                .owner = "a/B",
                                .name = "g",
                                .descriptor = "(J)V",
                                .markers = {}})));
  CHECK_FALSE(Made(SiteOf("f", {.factory = "no descriptor",
                                .erased = "",
                                .known = "",
                                .kind = 6,
                                .owner = "a/B",
                                .name = "g",
                                .descriptor = "(J)V",
                                .markers = {}})));
}

}  // namespace
}  // namespace iprof::instrument
