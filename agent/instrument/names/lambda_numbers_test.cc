#include "agent/instrument/names/lambda_numbers.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "agent/classfile/testing/assembled_class.h"

namespace iprof::instrument {
namespace {

using classfile::Op;

// A class whose method f contains the same method reference `sites` times, and g contains it once
// more.
std::vector<uint8_t> ClassWith(std::string_view name, int sites, bool g = true) {
  AssembledClass source(name, "java/lang/Object", 0x21, 61);
  const uint16_t factory = source.Handle(
      6, source.MethodRef("java/lang/invoke/LambdaMetafactory", "metafactory", "()V"));
  const uint16_t type = source.MethodType("()V");
  const uint16_t bootstrap = source.Bootstrap(
      factory, {type, source.Handle(6, source.MethodRef("a/C", "c", "()V")), type});
  const uint16_t site = source.CallSite(bootstrap, "run", "()Ljava/lang/Runnable;");
  const auto code = [&](int count) {
    std::vector<uint8_t> made;
    for (int i = 0; i < count; ++i) {
      for (const int byte : {B(Op::invokedynamic), site >> 8, site & 0xff, 0, 0, B(Op::pop)})
        made.push_back(static_cast<uint8_t>(byte));
    }
    made.push_back(static_cast<uint8_t>(Op::return_));
    return made;
  };
  source.Add({.name = "f", .code = code(sites)});
  if (g) source.Add({.name = "g", .code = code(1)});
  return source.Bytes();
}

}  // namespace

TEST_CASE("call sites have the number that their class file gives them", "[lambda_numbers]") {
  LambdaNumbers numbers(NamingRule::k25, Unboxing::kByNumber);
  numbers.Note(ClassWith("a/B", 2));
  numbers.Note(ClassWith("a/One", 1, false));
  CHECK(numbers.AnyIn("a/B"));
  CHECK_FALSE(numbers.AnyIn("a/One"));
  CHECK_FALSE(numbers.AnyIn("a/C"));
  CHECK(numbers.NumberOf("a/B", "f", "()V", {0, 2}) == 0);
  CHECK(numbers.NumberOf("a/B", "f", "()V", {1, 2}) == 1);
  CHECK(numbers.NumberOf("a/B", "g", "()V", {0, 1}) == 2);
  CHECK(numbers.NumberOf("a/B", "g", "()V", {0, 2}) == 0);  // the method is from another version
  CHECK(numbers.NumberOf("a/B", "h", "()V", {1, 2}) == 0);
  CHECK(numbers.NumberOf("a/C", "f", "()V", {1, 2}) == 0);
}

TEST_CASE("what is noted again costs nothing; the last version counts", "[lambda_numbers]") {
  LambdaNumbers numbers(NamingRule::k25, Unboxing::kByNumber);
  for (int i = 0; i < 1000; ++i) numbers.Note(ClassWith("a/B", 2));
  CHECK(numbers.size() == 2);
  const size_t bytes = numbers.bytes();
  numbers.Note(ClassWith("a/B", 1, true));
  CHECK(numbers.NumberOf("a/B", "g", "()V", {0, 1}) == 1);
  numbers.Note(ClassWith("a/B", 2));
  CHECK(numbers.size() == 2);
  CHECK(numbers.bytes() == bytes);
  CHECK(numbers.NumberOf("a/B", "g", "()V", {0, 1}) == 2);
}

TEST_CASE("a version without repetitions takes the numbers away", "[lambda_numbers]") {
  LambdaNumbers numbers(NamingRule::k25, Unboxing::kByNumber);
  numbers.Note(ClassWith("a/B", 1));
  CHECK(numbers.AnyIn("a/B"));
  CHECK(numbers.NumberOf("a/B", "g", "()V", {0, 1}) == 1);
  LambdaNumbers other(NamingRule::k25, Unboxing::kByNumber);
  other.Note(ClassWith("a/B", 0));  // g's is the only one
  CHECK_FALSE(other.AnyIn("a/B"));
  numbers.Note(ClassWith("a/B", 0));
  CHECK_FALSE(numbers.AnyIn("a/B"));
  CHECK(numbers.size() == 0);
}

TEST_CASE("there is an end to what is kept", "[lambda_numbers]") {
  LambdaNumbers numbers(NamingRule::k25, Unboxing::kByNumber);
  constexpr int kEach = 10'001;  // for one class, whose code then has the maximum length
  for (int i = 0; i < 8; ++i) numbers.Note(ClassWith("a/B" + std::to_string(i), kEach, false));
  CHECK(numbers.size() == LambdaNumbers::kMostSites);
  CHECK(numbers.refused() == 8 * (kEach - 1) - LambdaNumbers::kMostSites);
  CHECK(numbers.bytes() < 64 * LambdaNumbers::kMostSites);
  CHECK(numbers.NumberOf("a/B7", "f", "()V", {kEach - 1, kEach}) == 0);
}

TEST_CASE("damaged class files are no class files", "[lambda_numbers]") {
  LambdaNumbers numbers(NamingRule::k25, Unboxing::kByNumber);
  numbers.Note({});
  std::vector<uint8_t> half = ClassWith("a/B", 2);
  half.resize(half.size() / 2);
  numbers.Note(half);
  CHECK(numbers.size() == 0);
}

}  // namespace iprof::instrument
