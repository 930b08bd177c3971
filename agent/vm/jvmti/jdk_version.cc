#include "agent/vm/jvmti/jdk_version.h"

#include <string>

#include "agent/settings/vm_identity.h"
#include "agent/vm/jvmti/jvmti_memory.h"

namespace iprof::vm {

int JdkVersion(jvmtiEnv* jvmti) {
  JvmtiString text(jvmti);
  if (jvmti->GetSystemProperty("java.vm.version", text.address()) != JVMTI_ERROR_NONE) return 0;
  return MakeVmIdentity("", std::string(ViewOf(text))).major;
}

}  // namespace iprof::vm
