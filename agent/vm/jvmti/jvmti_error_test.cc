#include "agent/vm/jvmti/jvmti_error.h"

#include <catch2/catch.hpp>

namespace iprof::vm {
namespace {

TEST_CASE("a failure names the step and JVMTI's error") {
  const Status status = JvmtiFailure("set JVMTI callbacks", JVMTI_ERROR_MUST_POSSESS_CAPABILITY);
  CHECK(status.code() == Code::kInternal);
  CHECK(status.message() == "cannot set JVMTI callbacks: MUST_POSSESS_CAPABILITY (99)");
}

TEST_CASE("codes and events have the names of JVMTI's specification") {
  CHECK(JvmtiErrorText(JVMTI_ERROR_WRONG_PHASE) == "WRONG_PHASE (112)");
  CHECK(JvmtiErrorText(JVMTI_ERROR_NONE) == "NONE (0)");
  CHECK(JvmtiErrorText(static_cast<jvmtiError>(7)) == "unknown error (7)");
  CHECK(JvmtiEventName(JVMTI_EVENT_CLASS_FILE_LOAD_HOOK) == "ClassFileLoadHook");
  CHECK(JvmtiEventName(JVMTI_EVENT_VM_INIT) == "VMInit");
  CHECK(JvmtiEventName(static_cast<jvmtiEvent>(1)).empty());
}

}  // namespace
}  // namespace iprof::vm
