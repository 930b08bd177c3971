#include "agent/vm/jvmti/jvm_wait.h"

#include <catch2/catch.hpp>

#include "agent/vm/jvmti/fake_jvm.h"

namespace iprof::vm {
namespace {

using namespace std::chrono_literals;

struct Waiting {
  FakeJvm jvm;
  jvmtiEnv* jvmti = nullptr;

  Waiting() {
    void* opened = nullptr;
    REQUIRE(jvm.vm()->GetEnv(&opened, JVMTI_VERSION_11) == JNI_OK);
    jvmti = static_cast<jvmtiEnv*>(opened);
  }
};

TEST_CASE("a thread waits in a monitor of the JVM until it is over") {
  Waiting w;
  int asked = 0;
  JvmWait(w.jvmti).Until(1ms, [&] { return ++asked == 4; });
  CHECK(asked == 4);
  CHECK(w.jvm.raw_monitor_waits == 3);
  CHECK(w.jvm.raw_monitors == 0);
}

TEST_CASE("without a monitor, or with one that cannot be waited in, it waits in native code") {
  Waiting w;
  const auto [failure, answer] =
      GENERATE(table<std::string, jvmtiError>({{"CreateRawMonitor", JVMTI_ERROR_OUT_OF_MEMORY},
                                               {"RawMonitorEnter", JVMTI_ERROR_INVALID_MONITOR},
                                               {"RawMonitorWait", JVMTI_ERROR_INVALID_MONITOR},
                                               {"RawMonitorWait", JVMTI_ERROR_INTERRUPT}}));
  w.jvm.refuse[failure] = answer;
  int asked = 0;
  JvmWait(w.jvmti).Until(1ms, [&] { return ++asked == 3; });
  CHECK(asked == 3);
  CHECK(w.jvm.raw_monitors == 0);
}

}  // namespace
}  // namespace iprof::vm
