// The Java test java.names checks on JVMs that the ranks match the names of real lambdas.
#include "agent/instrument/names/lambda_sites.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "agent/classfile/testing/assembled_class.h"

namespace iprof::instrument {
namespace {

using classfile::Op;

constexpr std::string_view kFactoryType =
    "(Ljava/lang/invoke/MethodHandles$Lookup;Ljava/lang/String;Ljava/lang/invoke/MethodType;"
    "Ljava/lang/invoke/MethodType;Ljava/lang/invoke/MethodHandle;Ljava/lang/invoke/MethodType;)"
    "Ljava/lang/invoke/CallSite;";

// What an invokedynamic instruction creates; by default String::length as a Function.
struct Lambda {
  std::string captures = "";
  std::string interface = "Ljava/util/function/Function;";
  std::string erased = "(Ljava/lang/Object;)Ljava/lang/Object;";
  uint32_t kind = 5;
  std::string owner = "java/lang/String";
  std::string name = "length";
  std::string descriptor = "()I";
  std::string known = "(Ljava/lang/String;)Ljava/lang/Object;";
  bool serializable = false;
  std::string bootstrap = "java/lang/invoke/LambdaMetafactory";
};

uint16_t CallSiteOf(AssembledClass& source, const Lambda& lambda) {
  const uint16_t factory =
      source.Handle(6, source.MethodRef(lambda.bootstrap, "metafactory", kFactoryType));
  const uint16_t erased = source.MethodType(lambda.erased);
  const uint16_t target =
      source.Handle(lambda.kind, source.MethodRef(lambda.owner, lambda.name, lambda.descriptor));
  const uint16_t known = source.MethodType(lambda.known);
  const uint16_t bootstrap =
      lambda.serializable
          ? source.Bootstrap(factory, {erased, target, known, source.Integer(5), source.Integer(0)})
          : source.Bootstrap(factory, {erased, target, known});
  return source.CallSite(bootstrap, "apply", "(" + lambda.captures + ")" + lambda.interface);
}

// One method per list of lambdas. Between the call sites there are instructions of every length.
std::vector<uint8_t> ClassWith(const std::vector<std::vector<Lambda>>& methods) {
  AssembledClass source("a/B", "java/lang/Object", 0x21, 61);
  int number = 0;
  for (const auto& lambdas : methods) {
    std::vector<uint8_t> code =
        Code({B(Op::wide), B(Op::iinc), 0, 1, 0, 1, B(Op::iload_0), B(Op::tableswitch)});
    while (code.size() % 4 != 0) code.push_back(0);
    // default, then low and high: bytes that look like opcodes
    for (const int low_and_high : {0xba, 0xba}) {
      for (const int byte : {0, 0, 0, low_and_high}) code.push_back(static_cast<uint8_t>(byte));
    }
    for (const int byte : {0, 0, 0, 0xba, 0, 0, 0, 0xba})
      code.push_back(static_cast<uint8_t>(byte));
    for (const Lambda& lambda : lambdas) {
      const uint16_t site = CallSiteOf(source, lambda);
      for (const int byte : {B(Op::sipush), 0xba, 0xba, B(Op::pop), B(Op::invokedynamic), site >> 8,
                             site & 0xff, 0, 0, B(Op::pop)}) {
        code.push_back(static_cast<uint8_t>(byte));
      }
    }
    code.push_back(static_cast<uint8_t>(Op::return_));
    source.Add({.name = "m" + std::to_string(number++), .code = code});
  }
  return source.Bytes();
}

// "m0 0/2=0 1/2=1": ordinal, count and number of each site.
std::string Sites(const std::vector<uint8_t>& bytes, NamingRule rule = NamingRule::k25,
                  Unboxing unboxing = Unboxing::kByWrapper) {
  classfile::Arena arena;
  classfile::ClassFile file;
  REQUIRE(file.Parse(bytes, arena) == classfile::Reason::kOk);
  std::string text;
  const classfile::MemberInfo* method = nullptr;
  for (const LambdaSite& site : ReadLambdaSites(file, rule, unboxing)) {
    if (site.method != method)
      text += (method == nullptr ? "" : " ") + std::string(file.NameOf(*site.method));
    method = site.method;
    text += " " + std::to_string(site.call.ordinal) + "/" + std::to_string(site.call.count) + "=" +
            std::to_string(site.number);
  }
  return text;
}

// Whether two lambdas of one class share a name.
bool Share(const Lambda& one, const Lambda& other, NamingRule rule,
           Unboxing unboxing = Unboxing::kByWrapper) {
  const std::string found = Sites(ClassWith({{one, other}}), rule, unboxing);
  CHECK((found == "m0 0/2=0 1/2=1" || found == "m0 0/2=0 1/2=0"));
  return found == "m0 0/2=0 1/2=1";
}

constexpr auto k17 = NamingRule::k17;
constexpr auto k23 = NamingRule::k23;
constexpr auto k25 = NamingRule::k25;

}  // namespace

TEST_CASE("lambdas that do the same are ranked in the order of the class file", "[lambda_sites]") {
  const Lambda length;
  const Lambda trim{.name = "trim", .descriptor = "()Ljava/lang/String;"};
  CHECK(Sites(ClassWith({{length}, {trim, length}, {}, {trim, trim}})) ==
        "m0 0/1=0 m1 0/2=0 1/2=1 m3 0/2=1 1/2=2");
}

TEST_CASE("each rule looks at more of a lambda", "[lambda_sites]") {
  const Lambda length;
  const Lambda capturing{.captures = "Ljava/lang/String;"};
  const Lambda as_operator{.interface = "La/Operator;"};
  const Lambda serializable{.serializable = true};
  CHECK(Share(length, capturing, k17));
  CHECK_FALSE(Share(length, capturing, k23));
  CHECK(Share(length, as_operator, k17));
  CHECK(Share(length, as_operator, k23));
  CHECK_FALSE(Share(length, as_operator, k25));
  CHECK(Share(length, serializable, k23));
  CHECK_FALSE(Share(length, serializable, k25));
  CHECK_FALSE(Share(length, {.owner = "java/lang/CharSequence"}, k17));
  CHECK_FALSE(Share(length, {.name = "hashCode"}, k17));
}

TEST_CASE("casts make no difference, boxing does", "[lambda_sites]") {
  const Lambda length;
  CHECK(Share(length, {.known = "(Ljava/lang/String;)Ljava/lang/Integer;"}, k25));
  // The result is an int, which is not boxed.
  CHECK_FALSE(Share(length, {.erased = "(Ljava/lang/Object;)I"}, k17));
  const auto abs = [](std::string erased, std::string known) {
    return Lambda{.erased = std::move(erased),
                  .kind = 6,
                  .owner = "java/lang/Math",
                  .name = "abs",
                  .descriptor = "(I)I",
                  .known = std::move(known)};
  };
  const Lambda of_integer = abs("(Ljava/lang/Object;)I", "(Ljava/lang/Integer;)I");
  CHECK(Share(of_integer, abs("(Ljava/lang/Integer;)I", "(Ljava/lang/Integer;)I"), k17));
  CHECK(Share(of_integer, abs("(Ljava/lang/Object;)J", "(Ljava/lang/Integer;)J"), k17));
  CHECK_FALSE(Share(of_integer, abs("(Ljava/lang/Object;)I", "(Ljava/lang/Short;)I"), k17));
  CHECK_FALSE(Share(of_integer, abs("(Ljava/lang/Object;)I", "(Ljava/lang/Number;)I"), k17));
  CHECK_FALSE(Share(of_integer, abs("(I)I", "(I)I"), k17));
  // Newer JVMs use Number for all of them.
  const Unboxing kByNumber = UnboxingOfJdk(25);
  CHECK(UnboxingOfJdk(21) == Unboxing::kByWrapper);
  const Lambda of_short = abs("(Ljava/lang/Object;)I", "(Ljava/lang/Short;)I");
  const Lambda of_number = abs("(Ljava/lang/Object;)I", "(Ljava/lang/Number;)I");
  const Lambda of_character = abs("(Ljava/lang/Object;)I", "(Ljava/lang/Character;)I");
  CHECK(Share(of_integer, of_short, k17, kByNumber));
  CHECK(Share(of_integer, of_number, k17, kByNumber));
  CHECK_FALSE(Share(of_integer, of_character, k17, kByNumber));
  CHECK_FALSE(Share(of_integer, of_character, k17));
}

TEST_CASE("a captured value takes an argument's place", "[lambda_sites]") {
  const Lambda bound{.captures = "Ljava/lang/String;",
                     .erased = "(Ljava/lang/Object;)Ljava/lang/Object;",
                     .name = "charAt",
                     .descriptor = "(I)C",
                     .known = "(Ljava/lang/Integer;)Ljava/lang/Character;"};
  Lambda unboxed = bound;
  unboxed.erased = unboxed.known = "(I)Ljava/lang/Character;";
  CHECK(Share(bound, bound, k25));
  CHECK_FALSE(Share(bound, unboxed, k25));
}

TEST_CASE("a new object is a reference, although its constructor returns void", "[lambda_sites]") {
  const Lambda made{.erased = "()Ljava/lang/Object;",
                    .kind = 8,
                    .owner = "a/C",
                    .name = "<init>",
                    .descriptor = "()V",
                    .known = "()La/C;"};
  CHECK(Share(made,
              {.erased = "()La/C;",
               .kind = 8,
               .owner = "a/C",
               .name = "<init>",
               .descriptor = "()V",
               .known = "()La/C;"},
              k25));
}

TEST_CASE("other bootstrap methods make no lambdas", "[lambda_sites]") {
  const Lambda own{.bootstrap = "a/Bootstraps"};
  CHECK(Sites(ClassWith({{own, {}, own, {}}})) == "m0 1/4=0 3/4=1");
  CHECK(Sites(ClassWith({{own, own}})).empty());
}

TEST_CASE("an instruction is found by its bci in running code", "[lambda_sites]") {
  const auto code = Code({B(Op::nop), B(Op::invokedynamic), 0, 1, 0, 0, B(Op::sipush), 0xba, 0xba,
                          B(Op::invokedynamic), 0, 1, 0, 0, B(Op::return_)});
  CHECK(FindDynamicCall(code, 1) == DynamicCall{0, 2});
  CHECK(FindDynamicCall(code, 9) == DynamicCall{1, 2});
  CHECK_FALSE(FindDynamicCall(code, 0));
  CHECK_FALSE(FindDynamicCall(code, 7));
  CHECK_FALSE(FindDynamicCall(code, 100));
  CHECK_FALSE(FindDynamicCall({}, 0));
}

TEST_CASE("damaged class files are read without harm", "[lambda_sites]") {
  const std::vector<uint8_t> whole = ClassWith({{{}, {}, {.serializable = true}}});
  for (size_t at = 10; at < whole.size(); ++at) {
    for (const int with : {0, 1, 7, 0x7f, 0xff}) {
      std::vector<uint8_t> damaged = whole;
      damaged[at] = static_cast<uint8_t>(with);
      classfile::Arena arena;
      classfile::ClassFile file;
      if (file.Parse(damaged, arena) != classfile::Reason::kOk) continue;
      for (const LambdaSite& site : ReadLambdaSites(file, k25, Unboxing::kByNumber))
        CHECK(site.number < 3);
    }
  }
}

}  // namespace iprof::instrument
