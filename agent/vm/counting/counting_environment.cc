#include "agent/vm/counting/counting_environment.h"

#include <utility>

namespace iprof::vm {

Result<JvmtiEnvironment> OpenForCounting(JavaVM* vm, CountingStart start, bool restorable) {
  Result<JvmtiEnvironment> opened = JvmtiEnvironment::Open(vm);
  if (!opened.ok()) return opened;
  jvmtiCapabilities capabilities{};
  capabilities.can_generate_all_class_hook_events = 1;
  if (restorable) {
    capabilities.can_retransform_classes = 1;
    capabilities.can_retransform_any_class = 1;
    capabilities.can_tag_objects = 1;
  }
  if (start == CountingStart::kFirstBytecode) {
    capabilities.can_generate_early_class_hook_events = 1;
    capabilities.can_generate_early_vmstart = 1;
  }
  if (Status status = opened->AddCapabilities(capabilities, "instrument classes"); !status.ok())
    return status;
  return opened;
}

}  // namespace iprof::vm
