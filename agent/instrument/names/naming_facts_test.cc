// The input of the names is written out here. The hashes were computed with Python's hashlib and a
// separate implementation of MurmurHash3, see java-tests/oracle/stable_names.py.
#include "agent/instrument/names/naming_facts.h"

#include <catch2/catch.hpp>
#include <map>
#include <string>
#include <vector>

#include "agent/classfile/opcodes.h"

namespace iprof::instrument {
namespace {

using classfile::Op;

using Bytes = std::vector<uint8_t>;

void PutU2(Bytes* out, size_t value) {
  out->push_back(static_cast<uint8_t>(value >> 8));
  out->push_back(static_cast<uint8_t>(value));
}

struct Call {
  Op op;
  std::string owner;
  std::string name;
  std::string descriptor;
};

struct Method {
  uint16_t access;
  std::string name;
  std::string descriptor;
  std::vector<Call> calls;
};

// A class file whose methods only contain calls; it is never run.
struct CallingClass {
  std::string name;
  std::string super = "java/lang/Object";
  std::vector<std::string> interfaces{};
  std::vector<Method> methods{};
  uint16_t access = 0x1030;  // final, super, synthetic

  Bytes Build() {
    Bytes body;
    PutU2(&body, access);
    PutU2(&body, Class(name));
    PutU2(&body, Class(super));
    PutU2(&body, interfaces.size());
    for (const std::string& each : interfaces) PutU2(&body, Class(each));
    PutU2(&body, 0);
    PutU2(&body, methods.size());
    for (const Method& method : methods) AddMethod(method, &body);
    PutU2(&body, 0);
    Bytes file{0xca, 0xfe, 0xba, 0xbe, 0, 0, 0, 61};
    PutU2(&file, next);
    file.insert(file.end(), pool.begin(), pool.end());
    file.insert(file.end(), body.begin(), body.end());
    return file;
  }

  uint16_t Add(uint8_t tag, const Bytes& contents) {
    Bytes entry{tag};
    entry.insert(entry.end(), contents.begin(), contents.end());
    const auto [at, is_new] = known.try_emplace(std::string(entry.begin(), entry.end()), next);
    if (is_new) {
      pool.insert(pool.end(), entry.begin(), entry.end());
      ++next;
    }
    return at->second;
  }
  uint16_t Utf8(const std::string& text) {
    Bytes contents;
    PutU2(&contents, text.size());
    contents.insert(contents.end(), text.begin(), text.end());
    return Add(1, contents);
  }
  uint16_t Pair(uint8_t tag, uint16_t first, uint16_t second) {
    Bytes contents;
    PutU2(&contents, first);
    PutU2(&contents, second);
    return Add(tag, contents);
  }
  uint16_t Class(const std::string& text) {
    Bytes contents;
    PutU2(&contents, Utf8(text));
    return Add(7, contents);
  }
  void AddMethod(const Method& method, Bytes* out) {
    Bytes code;
    for (const Call& call : method.calls) {
      const uint16_t what = Pair(12, Utf8(call.name), Utf8(call.descriptor));
      code.push_back(static_cast<uint8_t>(call.op));
      if (call.op == Op::invokedynamic) {
        PutU2(&code, Pair(18, 0, what));
        PutU2(&code, 0);
        continue;
      }
      const bool interface = call.op == Op::invokeinterface;
      PutU2(&code, Pair(interface ? 11 : 10, Class(call.owner), what));
      if (interface) PutU2(&code, 0x0100);
    }
    code.push_back(static_cast<uint8_t>(Op::return_));
    PutU2(out, method.access);
    PutU2(out, Utf8(method.name));
    PutU2(out, Utf8(method.descriptor));
    PutU2(out, 1);
    PutU2(out, Utf8("Code"));
    PutU2(out, 0);
    PutU2(out, 12 + code.size());
    PutU2(out, 9);
    PutU2(out, 9);
    PutU2(out, 0);
    PutU2(out, code.size());
    out->insert(out->end(), code.begin(), code.end());
    PutU2(out, 0);
    PutU2(out, 0);
  }

  // The constant pool as it grows.
  Bytes pool{};
  std::map<std::string, uint16_t> known{};
  uint16_t next = 1;
};

constexpr uint16_t kPublic = 1;
constexpr uint16_t kPrivate = 2;
constexpr uint16_t kPublicBridge = 0x41;

// x -> x + k in a method of a.B, as the metafactory writes it.
CallingClass Capturing() {
  return {.name = "a/B$$Lambda$7",
          .interfaces = {"java/util/function/IntUnaryOperator"},
          .methods = {{kPrivate,
                       "<init>",
                       "(I[Ljava/lang/String;)V",
                       {{Op::invokespecial, "java/lang/Object", "<init>", "()V"}}},
                      {kPublic,
                       "applyAsInt",
                       "(I)I",
                       {{Op::invokestatic, "a/B", "lambda$main$1", "(I[Ljava/lang/String;I)I"}}}}};
}

// String::length as a Function that is Serializable.
CallingClass Reference() {
  return {
      .name = "a/B$$Lambda",
      .interfaces = {"java/util/function/Function", "java/io/Serializable"},
      .methods = {
          {kPrivate, "<init>", "()V", {{Op::invokespecial, "java/lang/Object", "<init>", "()V"}}},
          {kPublicBridge,
           "apply",
           "(Ljava/lang/String;)Ljava/lang/Object;",
           {{Op::invokestatic, "a/B", "never", "()V"}}},
          {kPublic,
           "apply",
           "(Ljava/lang/Object;)Ljava/lang/Object;",
           {{Op::invokevirtual, "java/lang/String", "length", "()I"},
            {Op::invokestatic, "java/lang/Integer", "valueOf", "(I)Ljava/lang/Integer;"}}},
          {kPublic, "apply2", "()V", {{Op::invokestatic, "a/B", "never", "()V"}}}}};
}

template <typename Use>
auto Read(CallingClass source, Use use) {
  const Bytes bytes = source.Build();
  classfile::Arena arena;
  classfile::Arena code_arena;
  classfile::ClassFile file;
  REQUIRE(file.Parse(bytes, arena) == classfile::Reason::kOk);
  return use(file, code_arena);
}

std::string Text(const CallingClass& source, NamingRule rule) {
  return Read(source, [&](const auto& file, auto& arena) {
    const auto facts = ReadLambda(file, arena);
    return facts ? LambdaText(*facts, rule).value_or("(none)") : "(none)";
  });
}

std::string BaseName(const CallingClass& source, NamingRule rule) {
  return Read(source, [&](const auto& file, auto& arena) {
    const auto facts = ReadLambda(file, arena);
    return facts ? LambdaBaseName(*facts, rule).value_or("(none)") : "(none)";
  });
}

}  // namespace

TEST_CASE("A lambda's text: its calls, then what it captures, then what it implements",
          "[stable_names]") {
  const std::string calls = "a.B.lambda$main$1(int, java.lang.String[], int)int";
  CHECK(Text(Capturing(), NamingRule::k17) == calls);
  CHECK(Text(Capturing(), NamingRule::k23) == calls + "int, java.lang.String[]");
  CHECK(Text(Capturing(), NamingRule::k25) ==
        calls + "int, java.lang.String[]java.util.function.IntUnaryOperator");
}

TEST_CASE("Bridges, constructors and second methods do not count; conversions do",
          "[stable_names]") {
  const std::string calls =
      "java.lang.String.length()intjava.lang.Integer.valueOf(int)java.lang.Integer";
  CHECK(Text(Reference(), NamingRule::k17) == calls);
  CHECK(Text(Reference(), NamingRule::k23) == calls);
  CHECK(Text(Reference(), NamingRule::k25) ==
        calls + "java.util.function.Functionjava.io.Serializable");
}

TEST_CASE("Calls on arrays, interfaces and call sites", "[stable_names]") {
  CallingClass source = Reference();
  source.methods[2].calls = {{Op::invokevirtual, "[[I", "clone", "()Ljava/lang/Object;"},
                             {Op::invokeinterface, "a/Outer$Inner", "f", "([[J[La/C;)[[La/C;"},
                             {Op::invokedynamic, "", "g", "(Z)V"}};
  CHECK(Text(source, NamingRule::k17) ==
        "int[][].clone()java.lang.Object"
        "a.Outer$Inner.f(long[][], a.C[])a.C[][]"
        "java.lang.invoke.MethodHandle.g(boolean)void");
}

TEST_CASE("Lambdas have the names that image builds give them", "[stable_names]") {
  CHECK(BaseName(Capturing(), NamingRule::k17) ==
        "a/B$$Lambda$2f99d0a3acc4d283dba66f689af299003aaa1ca8");
  CHECK(BaseName(Capturing(), NamingRule::k23) == "a/B$$Lambda.0x9873e127f890a1f09d606518fd659f02");
  CHECK(BaseName(Capturing(), NamingRule::k25) == "a/B$$Lambda.0x22d69574c287228d7ab031279c371bd3");
  CHECK(BaseName(Reference(), NamingRule::k17) ==
        "a/B$$Lambda$dff82ce2d2d1e9aa07ba1c703d9ed3ab568f2850");
  CHECK(BaseName(Reference(), NamingRule::k23) == "a/B$$Lambda.0x4bbad3dec00bf6708d5f50bd5e0ba541");
  CHECK(BaseName(Reference(), NamingRule::k25) == "a/B$$Lambda.0x35d868049763cf0eb49d024d3aa967af");
}

TEST_CASE("Names beyond ASCII are hashed as UTF-8", "[stable_names]") {
  CallingClass source = Reference();
  // U+00E9, and U+1D11E as a surrogate pair, as class files encode it.
  source.methods[2].calls = {{Op::invokestatic, "a/B", "\xc3\xa9\xed\xa0\xb4\xed\xb4\x9e", "()V"}};
  CHECK(Text(source, NamingRule::k17) == "a.B.\xc3\xa9\xf0\x9d\x84\x9e()void");
}

TEST_CASE("What is a lambda's class", "[stable_names]") {
  const auto is_lambda = [](const std::string& name, uint16_t access = 0x1030) {
    CallingClass source = Reference();
    source.name = name;
    source.access = access;
    return Read(source, [](const auto& file, auto&) { return IsLambdaClass(file); });
  };
  CHECK(is_lambda("a/B$$Lambda"));
  CHECK(is_lambda("a/B$$Lambda$14"));
  CHECK(is_lambda("a/B$$Lambda$C$$Lambda$1"));
  CHECK_FALSE(is_lambda("a/B$$Lambda", 0x1020));
  CHECK_FALSE(is_lambda("a/B$$Lambda$"));
  CHECK_FALSE(is_lambda("a/B$$Lambda$x"));
  CHECK_FALSE(is_lambda("a/B$$LambdaX"));
  CHECK_FALSE(is_lambda("a/B$$TypeSwitch"));
  CHECK_FALSE(is_lambda("java/lang/invoke/LambdaForm$MH"));
}

TEST_CASE("A lambda that calls nothing has no name", "[stable_names]") {
  CallingClass source = Reference();
  source.methods[2].calls.clear();
  CHECK(BaseName(source, NamingRule::k17) == "(none)");
  CHECK(BaseName(source, NamingRule::k25) == "(none)");
  source.methods.resize(2);
  CHECK(BaseName(source, NamingRule::k25) == "(none)");
}

TEST_CASE("What is a proxy's class", "[stable_names]") {
  CallingClass source{.name = "jdk/proxy1/$Proxy3",
                      .super = "java/lang/reflect/Proxy",
                      .interfaces = {"a/B$C", "java/lang/Runnable"},
                      .methods = {}};
  const auto read = [](const CallingClass& from) {
    return Read(from, [](const auto& file, auto&) { return ReadProxy(file); });
  };
  const auto facts = read(source);
  REQUIRE(facts);
  CHECK(facts->package == "jdk/proxy1");
  CHECK(facts->interfaces == std::vector<std::string>{"a.B$C", "java.lang.Runnable"});
  source.name = "$Proxy3";
  REQUIRE(read(source));
  CHECK(read(source)->package.empty());
  source.super = "java/lang/Object";
  CHECK_FALSE(read(source));
  source.super = "java/lang/reflect/Proxy";
  source.name = "a/$Proxy3x";
  CHECK_FALSE(read(source));
}

}  // namespace iprof::instrument
