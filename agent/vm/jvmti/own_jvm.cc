#include "agent/vm/jvmti/own_jvm.h"

namespace iprof::vm {

const hotspot::LoadedJvm& OwnJvm(JavaVM* vm) {
  static const auto* const jvm =
      new hotspot::LoadedJvm(reinterpret_cast<const void*>(vm->functions->GetEnv));
  return *jvm;
}

}  // namespace iprof::vm
