// Runs against a fake JVM, in which a test defines hidden classes with the native method that
// HiddenClasses replaces.
#include "agent/vm/classes/names/hidden_classes.h"

#include <catch2/catch.hpp>

#include "agent/classfile/testing/assembled_class.h"
#include "agent/vm/jvmti/fake_jvm.h"

namespace iprof::vm {
namespace {

using DefineClass0 = jclass(JNICALL*)(JNIEnv*, jclass, jobject, jclass, jstring, jbyteArray, jint,
                                      jint, jobject, jboolean, jint, jobject);

// The arguments of the last call of the JVM's own method.
struct Original {
  FakeJvm* jvm = nullptr;
  std::vector<uint8_t> bytes;
  int calls = 0;
  bool refuses_once = false;
} original;

jclass JNICALL DefineForReal(JNIEnv*, jclass, jobject loader, jclass, jstring, jbyteArray bytes,
                             jint offset, jint length, jobject, jboolean, jint, jobject) {
  ++original.calls;
  if (original.refuses_once) {
    original.refuses_once = false;
    original.jvm->pending = original.jvm->AddClass("java/lang/ClassFormatError");
    return nullptr;
  }
  const auto& all = reinterpret_cast<FakeObject*>(bytes)->longs;
  original.bytes.assign(all.begin() + offset, all.begin() + offset + length);
  return reinterpret_cast<jclass>(
      original.jvm->AddClass("a/B$$Lambda.0x01", reinterpret_cast<FakeObject*>(loader)));
}

// "Counts" every class by appending a byte to it.
struct Counter final : HiddenClassCounting {
  int instrumented = 0;
  int named = 0;
  std::vector<jclass> defined;
  bool InstrumentHidden(JNIEnv*, jobject, const HiddenClassBytes& input,
                        std::vector<uint8_t>* output,
                        std::optional<instrument::ClassId>* held) override {
    ++instrumented;
    output->assign(input.bytes.begin(), input.bytes.end());
    output->push_back(0);
    *held = instrument::ClassId{7};
    return true;
  }
  void HiddenClassDefined(JNIEnv*, jobject, jclass type, instrument::ClassId) override {
    defined.push_back(type);
  }
  void HiddenClassNamed(JNIEnv*, jclass, bool) override { ++named; }
};

// As JDK 17 makes them: a synthetic final class with the interface's method, which calls the
// lambda's body.
std::vector<uint8_t> Lambda() {
  instrument::AssembledClass file("a/B$$Lambda", "java/lang/Object", 0x1030);
  const uint16_t body = file.MethodRef("a/B", "lambda$main$0", "()V");
  file.Add({.access = 1,
            .name = "run",
            .descriptor = "()V",
            .code = {0xb8, static_cast<uint8_t>(body >> 8), static_cast<uint8_t>(body), 0xb1}});
  return file.Bytes();
}

struct Hidden {
  FakeJvm jvm;
  Log log;
  HiddenNames names{RuleForJdk(17), instrument::UnboxingOfJdk(17)};
  UnloadWatch tags{log};
  Counter counter;
  HiddenClasses classes{log, names, tags};
  FakeObject* const loader = jvm.AddLoader();
  FakeClass* const lookup = jvm.AddClass("a/B", loader);
  DefineClass0 bound = nullptr;

  enum class Counts { kNot, kFromTheStart };
  explicit Hidden(Counts counts = Counts::kFromTheStart) {
    original = {.jvm = &jvm, .bytes = {}};
    REQUIRE(classes.Start(jvm.vm()).ok());
    if (counts == Counts::kFromTheStart) classes.CountWith(counter);
    FakeMethod* const method =
        jvm.AddMethod(jvm.Find("java/lang/ClassLoader"), "defineClass0", "(…)Ljava/lang/Class;");
    const auto bind = [&] {
      return reinterpret_cast<DefineClass0>(
          jvm.Bind(method, reinterpret_cast<void*>(&DefineForReal)));
    };
    bound = bind();
    if (bound == &DefineForReal) {
      bound = installed_;
    } else {
      REQUIRE(bind() == bound);  // threads that race for the first call each bind it
    }
    installed_ = bound;
  }
  ~Hidden() { classes.Close(); }

  jclass Define(const std::vector<uint8_t>& bytes) {
    return bound(jvm.jni(), nullptr, reinterpret_cast<jobject>(loader),
                 reinterpret_cast<jclass>(lookup), nullptr,
                 reinterpret_cast<jbyteArray>(jvm.NewBytes(bytes)), 0,
                 static_cast<jint>(bytes.size()), nullptr, JNI_FALSE, 4, nullptr);
  }

  // A process replaces the method only once.
  static DefineClass0 installed_;
};

DefineClass0 Hidden::installed_ = nullptr;

TEST_CASE("a lambda is counted and has a stable name") {
  Hidden h;
  const auto bytes = Lambda();
  const jclass defined = h.Define(bytes);
  REQUIRE(defined != nullptr);
  CHECK(original.calls == 1);
  CHECK(original.bytes.size() == bytes.size() + 1);
  CHECK(h.counter.defined == std::vector{defined});
  CHECK(h.counter.named == 1);
  const std::string name = h.names.InternalName("a/B$$Lambda.0x01");
  CHECK(name != "a/B$$Lambda.0x01");
  CHECK(name.starts_with("a/B$$Lambda"));
  CHECK(h.classes.Report().find("lambdas: 1 defined, 1 counted") != std::string::npos);
}

TEST_CASE("until they are counted, lambdas are only named") {
  Hidden h(Hidden::Counts::kNot);
  CHECK(h.Define(Lambda()) != nullptr);
  CHECK(original.bytes == Lambda());
  CHECK(h.counter.instrumented == 0);
  CHECK(h.counter.named == 0);
  CHECK(h.names.InternalName("a/B$$Lambda.0x01") != "a/B$$Lambda.0x01");
  h.classes.CountWith(h.counter);
  CHECK(h.Define(Lambda()) != nullptr);
  CHECK(h.counter.instrumented == 1);
}

TEST_CASE("a rewritten class that the JVM refuses is defined as it was") {
  Hidden h;
  original.refuses_once = true;
  CHECK(h.Define(Lambda()) != nullptr);
  CHECK(original.calls == 2);
  CHECK(original.bytes == Lambda());
  CHECK(h.jvm.pending == nullptr);
  CHECK(h.counter.defined == std::vector<jclass>{nullptr});
  CHECK(h.classes.LeftAlone().find("lambdas left alone: 1 (the JVM refused") != std::string::npos);
}

TEST_CASE("other hidden classes are passed on untouched") {
  Hidden h;
  const auto bytes = instrument::AssembledClass("java/lang/invoke/LambdaForm$DMH").Bytes();
  CHECK(h.Define(bytes) != nullptr);
  CHECK(original.bytes == bytes);
  CHECK(h.counter.instrumented == 0);
  h.Define({1, 2, 3});  // not a class
  CHECK(original.bytes == std::vector<uint8_t>{1, 2, 3});
}

TEST_CASE("after the end the method that stays replaced only calls the original") {
  Hidden h;
  CHECK(h.classes.Close());
  CHECK(h.Define(Lambda()) != nullptr);
  CHECK(original.bytes == Lambda());
  CHECK(h.counter.instrumented == 0);
  CHECK(h.jvm.enabled_events().empty());
}

TEST_CASE("a failed start names the step") {
  FakeJvm jvm;
  Log log;
  HiddenNames names{RuleForJdk(17), instrument::UnboxingOfJdk(17)};
  UnloadWatch tags(log);
  HiddenClasses classes(log, names, tags);
  jvm.refuse["SetEventCallbacks"] = JVMTI_ERROR_WRONG_PHASE;
  CHECK(classes.Start(jvm.vm()).message() == "cannot set JVMTI callbacks: WRONG_PHASE (112)");
  CHECK(classes.Close());
}

}  // namespace
}  // namespace iprof::vm
