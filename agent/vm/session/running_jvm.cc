#include "agent/vm/session/running_jvm.h"

#include "agent/vm/jvmti/jvmti_memory.h"

namespace iprof::vm {

std::string SystemProperty(jvmtiEnv* jvmti, const char* name) {
  JvmtiString value(jvmti);
  if (jvmti->GetSystemProperty(name, value.address()) != JVMTI_ERROR_NONE) return {};
  return std::string(ViewOf(value));
}

MainProgram RunningProgram(jvmtiEnv* jvmti) {
  const std::string command = SystemProperty(jvmti, "sun.java.command");
  if (command.empty()) return MainProgram{ExecutableName()};
  return FromJavaCommand(command, CurrentCommandLine(), SystemProperty(jvmti, "java.class.path"));
}

}  // namespace iprof::vm
