#include "agent/vm/counting/second_look.h"

#include <utility>

#include "agent/vm/counting/swap_guard.h"

namespace iprof::vm {

SecondLook::SecondLook(jvmtiEnv* jvmti, std::vector<std::string> names,
                       std::span<const jclass> found)
    : jvmti_(jvmti), names_(std::move(names)) {
  for (jclass klass : found) {
    if (ClassTag::Of(jvmti_, klass).state == ClassTag::State::kNone)
      SetState(jvmti_, klass, ClassTag::State::kSeen);
  }
}

FoundClasses SecondLook::Find(std::span<const jclass> loaded) const {
  FoundClasses found = FindClasses(jvmti_, loaded, names_);
  std::erase_if(found.linked, [&](jclass klass) {
    if (ClassTag::Of(jvmti_, klass).state != ClassTag::State::kSeen) return false;
    SetState(jvmti_, klass, ClassTag::State::kNone);
    return true;
  });
  return found;
}

}  // namespace iprof::vm
