#include "agent/vm/classes/retransformer.h"

#include <catch2/catch.hpp>
#include <set>
#include <vector>

namespace iprof::vm {
namespace {

// A JVM that refuses some classes. A class is a small number used as a reference.
class FakeJvmti {
 public:
  FakeJvmti() {
    current_ = this;
    table_.RetransformClasses = [](jvmtiEnv*, jint count, const jclass* classes) {
      current_->calls.push_back(count);
      for (jint i = 0; i < count; ++i) {
        if (current_->refused.contains(classes[i])) return JVMTI_ERROR_FAILS_VERIFICATION;
      }
      for (jint i = 0; i < count; ++i) current_->done.push_back(classes[i]);
      return JVMTI_ERROR_NONE;
    };
    env_.functions = &table_;
  }
  ~FakeJvmti() { current_ = nullptr; }
  FakeJvmti(const FakeJvmti&) = delete;
  FakeJvmti& operator=(const FakeJvmti&) = delete;

  jvmtiEnv* env() { return &env_; }

  std::set<jclass> refused;
  std::vector<jclass> done;
  std::vector<jint> calls;

 private:
  static FakeJvmti* current_;
  jvmtiInterface_1_ table_{};
  _jvmtiEnv env_{};
};

FakeJvmti* FakeJvmti::current_ = nullptr;

std::vector<jclass> Classes(size_t count) {
  std::vector<jclass> all;
  for (size_t i = 1; i <= count; ++i)
    all.push_back(reinterpret_cast<jclass>(static_cast<uintptr_t>(i) * 8));
  return all;
}

TEST_CASE("every class is retransformed once") {
  FakeJvmti jvm;
  Retransformer retransformer(jvm.env(), nullptr, std::chrono::milliseconds(100));
  const auto classes = Classes(500);
  retransformer.Run(classes, [](size_t) { return true; });
  CHECK(jvm.done == classes);
  CHECK(retransformer.outcome().classes == 500);
  CHECK(retransformer.outcome().refused == 0);
  CHECK(retransformer.outcome().pauses == jvm.calls.size());
  CHECK(jvm.calls.size() < 40);
}

TEST_CASE("a class that is refused costs only itself, and few calls") {
  FakeJvmti jvm;
  const auto classes = Classes(1000);
  jvm.refused = {classes[10], classes[777]};
  Retransformer retransformer(jvm.env(), nullptr, std::chrono::milliseconds(100));
  CHECK(retransformer.Run(classes, [](size_t) { return true; }) ==
        std::vector{classes[10], classes[777]});
  CHECK(jvm.done.size() == 998);
  CHECK(std::set(jvm.done.begin(), jvm.done.end()).size() == 998);
  CHECK(retransformer.outcome().refused == 2);
  CHECK(retransformer.outcome().last_error == JVMTI_ERROR_FAILS_VERIFICATION);
  CHECK(jvm.calls.size() < 70);
}

TEST_CASE("nothing more is done when the caller says so") {
  FakeJvmti jvm;
  Retransformer retransformer(jvm.env(), nullptr, std::chrono::milliseconds(100));
  int left = 2;
  retransformer.Run(Classes(100), [&](size_t) { return left-- > 0; });
  CHECK(jvm.calls.size() == 2);
}

}  // namespace
}  // namespace iprof::vm
