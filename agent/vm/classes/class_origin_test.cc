// Runs against a fake JVM whose class loaders return the class files that a test gives them.
#include "agent/vm/classes/class_origin.h"

#include <atomic>
#include <catch2/catch.hpp>
#include <map>
#include <string>
#include <thread>

#include "agent/classfile/testing/assembled_class.h"
#include "agent/vm/jvmti/fake_jvm.h"
#include "agent/vm/jvmti/jvmti_environment.h"

namespace iprof::vm {
namespace {

using namespace std::chrono_literals;
using instrument::AssembledClass;

constexpr auto kLong = 1min;

std::vector<uint8_t> ClassFile(std::string_view name, std::string_view method = "f") {
  AssembledClass file(name);
  file.Add({.name = std::string(method), .code = {0xb1}});
  return file.Bytes();
}

struct Comparing {
  FakeJvm jvm;
  Log log;
  JvmtiEnvironment environment;
  std::map<std::string, std::vector<uint8_t>> files;  // by resource name
  std::atomic<int> look_ups{0};
  std::atomic<bool> blocks{false};
  std::atomic<bool> is_asked{false};
  std::atomic<bool> throws{false};
  FakeObject* const loader = jvm.AddLoader();
  ClassOrigin origin;

  explicit Comparing(bool certain = true) : origin(log, certain) {
    environment = std::move(*JvmtiEnvironment::Open(jvm.vm()));
    const FakeJvm::Body find = [this](FakeObject*, va_list arguments) -> FakeObject* {
      va_list copy;
      va_copy(copy, arguments);
      const std::string name = va_arg(copy, FakeObject*)->text;
      va_end(copy);
      ++look_ups;
      is_asked = true;
      while (blocks) std::this_thread::yield();
      if (throws) jvm.pending = jvm.AddClass("java/lang/Error");
      const auto found = files.find(name);
      return throws || found == files.end() ? nullptr : jvm.NewBytes(found->second);
    };
    jvm.bodies["java/lang/ClassLoader.getResourceAsStream"] = find;
    jvm.bodies["java/lang/ClassLoader.getSystemResourceAsStream"] = find;
    jvm.bodies["java/io/InputStream.readAllBytes"] = [](FakeObject* stream, va_list) {
      return stream;
    };
  }
  ~Comparing() {
    blocks = false;
    origin.Stop(kLong);
  }

  void Start() { REQUIRE(origin.Start(environment.get(), jvm.jni()).ok()); }
  void Note(const std::string& name, const std::vector<uint8_t>& bytes, FakeObject* by) {
    origin.Note(jvm.jni(), reinterpret_cast<jobject>(by), name, bytes);
  }
  // The judgement of the method f()V of a class with these bytes.
  MethodOrigin Judge(const std::string& name, const std::vector<uint8_t>& bytes) {
    ClassRecord type;
    type.name = name;
    type.hash = Murmur3(bytes);
    CountedMethod method;
    method.name = "f";
    method.descriptor = "()V";
    return origin.Judge(type, method);
  }
};

TEST_CASE("a class that is its file keeps its positions") {
  Comparing c;
  const auto bytes = ClassFile("a/B");
  c.files["a/B.class"] = bytes;
  c.Note("a/B", bytes, c.loader);
  CHECK(c.Judge("a/B", bytes) == MethodOrigin::kChanged);  // not compared yet
  c.Start();
  c.origin.Settle(kLong);
  CHECK(c.Judge("a/B", bytes) == MethodOrigin::kSame);
  CHECK(c.origin.Report().find("1 equal, 0 different") != std::string::npos);
  CHECK(c.jvm.live_weak_references == 0);
}

TEST_CASE("a method that the class file does not have is the other agent's own") {
  Comparing c;
  c.files["a/B.class"] = ClassFile("a/B", "g");
  const auto bytes = ClassFile("a/B", "f");
  c.Note("a/B", bytes, c.loader);
  c.Start();
  c.origin.Settle(kLong);
  CHECK(c.Judge("a/B", bytes) == MethodOrigin::kAdded);
}

TEST_CASE("what cannot be compared is not trusted") {
  Comparing c;
  const auto bytes = ClassFile("a/B");
  c.files["a/B.class"] = bytes;
  SECTION("a class without a class file") { c.files.clear(); }
  SECTION("a loader that throws") { c.throws = true; }
  SECTION("a loader that has gone") {
    c.Note("a/B", bytes, c.loader);
    c.loader->is_gone = true;
  }
  c.Note("a/B", bytes, c.loader);
  c.Start();
  c.origin.Settle(kLong);
  CHECK(c.Judge("a/B", bytes) == MethodOrigin::kChanged);
  CHECK(c.jvm.pending == nullptr);
  CHECK(c.jvm.live_weak_references == 0);
}

TEST_CASE("a loader that blocks costs a profile positions, not its end") {
  Comparing c;
  c.blocks = true;
  const auto bytes = ClassFile("a/B");
  c.files["a/B.class"] = bytes;
  c.Note("a/B", bytes, c.loader);
  c.Start();
  while (!c.is_asked) std::this_thread::yield();
  c.origin.Settle(1ms);
  CHECK(c.Judge("a/B", bytes) == MethodOrigin::kChanged);
  CHECK_FALSE(c.origin.Stop(1ms));
  c.blocks = false;
  CHECK(c.origin.Stop(kLong));
}

TEST_CASE("a stop comes after the class at hand, and the others are looked up when it goes on") {
  Comparing c;
  c.blocks = true;
  constexpr int kClasses = 20;
  const auto name = [](int number) { return "a/B" + std::to_string(number); };
  for (int i = 0; i < kClasses; ++i) {
    c.files[name(i) + ".class"] = ClassFile(name(i));
    c.Note(name(i), ClassFile(name(i)), c.loader);
  }
  c.Start();
  while (!c.is_asked) std::this_thread::yield();
  CHECK_FALSE(c.origin.Stop(1ms));
  c.blocks = false;
  REQUIRE(c.origin.Stop(kLong));
  CHECK(c.look_ups == 1);
  REQUIRE(c.origin.Resume(c.environment.get(), c.jvm.jni()).ok());
  c.origin.Settle(kLong);
  CHECK(c.look_ups == kClasses);
  for (int i = 0; i < kClasses; ++i)
    CHECK(c.Judge(name(i), ClassFile(name(i))) == MethodOrigin::kSame);
  CHECK(c.jvm.live_weak_references == 0);
}

TEST_CASE("a stop ends the wait for look-ups, also for one that blocks") {
  constexpr auto kForEver = std::chrono::hours(1);
  Comparing c;
  c.blocks = true;
  c.Note("a/B", ClassFile("a/B"), c.loader);
  c.Start();
  while (!c.is_asked) std::this_thread::yield();
  std::atomic<bool> waits{false};
  std::thread profile([&] {
    waits = true;
    c.origin.Settle(kForEver);
  });
  while (!waits) std::this_thread::yield();
  std::this_thread::sleep_for(10ms);  // most often it is in the wait by now
  CHECK_FALSE(c.origin.Stop(1ms));
  profile.join();
  c.blocks = false;
  CHECK(c.origin.Stop(kLong));
}

TEST_CASE("no call waits for a thread that does not run") {
  constexpr auto kForEver = std::chrono::hours(1);
  Comparing c;
  c.Note("a/B", ClassFile("a/B"), c.loader);
  c.origin.Settle(kForEver);  // it has not begun
  c.Start();
  CHECK(c.origin.Stop(kLong));
  c.origin.Settle(kForEver);
  CHECK(c.Judge("a/B", ClassFile("a/B")) == MethodOrigin::kChanged);
}

TEST_CASE("classes of the JDK's loaders are looked up when a profile needs them, and not before") {
  Comparing c;
  const auto own = ClassFile("a/B");
  const auto jdk = ClassFile("java/util/C");
  c.files = {{"a/B.class", own}, {"java/util/C.class", jdk}};
  c.Note("java/util/C", jdk, nullptr);
  c.Note("a/B", own, c.loader);
  c.Start();
  while (c.Judge("a/B", own) != MethodOrigin::kSame) std::this_thread::yield();
  CHECK(c.look_ups == 1);
  CHECK(c.Judge("java/util/C", jdk) == MethodOrigin::kChanged);
  c.origin.Settle(kLong);
  CHECK(c.Judge("java/util/C", jdk) == MethodOrigin::kSame);
}

TEST_CASE("without another agent nothing is looked up, and everything is trusted") {
  Comparing c(false);
  const auto bytes = ClassFile("a/B");
  c.Note("a/B", bytes, c.loader);
  c.Start();
  c.origin.Settle(kLong);
  CHECK(c.look_ups == 0);
  CHECK(c.Judge("a/B", bytes) == MethodOrigin::kSame);
  CHECK(c.origin.Report().empty());
  CHECK(c.jvm.live_weak_references == 0);
}

TEST_CASE("a class that was dropped is forgotten, and one of no name is never noted") {
  Comparing c;
  const auto bytes = ClassFile("a/B");
  c.Note("a/B", bytes, c.loader);
  c.origin.Drop("a/B", Murmur3(bytes));
  c.Note("", bytes, c.loader);
  c.Start();
  c.origin.Settle(kLong);
  CHECK(c.Judge("a/B", bytes) == MethodOrigin::kSame);  // no agent could have changed it
  CHECK(c.look_ups <= 1);
}

}  // namespace
}  // namespace iprof::vm
