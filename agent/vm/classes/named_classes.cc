#include "agent/vm/classes/named_classes.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "agent/vm/classes/swap_guard.h"
#include "agent/vm/jvmti/jvmti_memory.h"
#include "writer/names/typed_names.h"

namespace iprof::vm {

FoundClasses FindClasses(jvmtiEnv* jvmti, std::span<const jclass> loaded,
                         const std::vector<std::string>& names) {
  FoundClasses result;
  std::unordered_map<std::string_view, size_t> order;
  for (size_t n = 0; n < names.size(); ++n) order.emplace(names[n], n);
  std::vector<std::pair<size_t, jclass>> found;
  for (jclass klass : loaded) {
    JvmtiString signature(jvmti);
    if (jvmti->GetClassSignature(klass, signature.address(), nullptr) != JVMTI_ERROR_NONE) continue;
    const auto known = order.find(Descriptor(ViewOf(signature)).ClassName().text());
    if (known == order.end()) continue;
    jboolean is_modifiable = JNI_FALSE;
    jint status = 0;
    if (jvmti->IsModifiableClass(klass, &is_modifiable) != JVMTI_ERROR_NONE || !is_modifiable ||
        jvmti->GetClassStatus(klass, &status) != JVMTI_ERROR_NONE)
      continue;
    if ((status & JVMTI_CLASS_STATUS_PREPARED) != 0) {
      found.emplace_back(known->second, klass);
    } else {
      result.unlinked.insert(names[known->second]);
    }
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  for (const auto& [number, klass] : found) result.linked.push_back(klass);
  return result;
}

void MarkFound(jvmtiEnv* jvmti, std::span<const jclass> found) {
  for (jclass klass : found) {
    if (ClassTag::Of(jvmti, klass).state == ClassTag::State::kNone)
      SetState(jvmti, klass, ClassTag::State::kSeen);
  }
}

FoundClasses FindOthers(jvmtiEnv* jvmti, std::span<const jclass> loaded,
                        const std::vector<std::string>& names) {
  FoundClasses found = FindClasses(jvmti, loaded, names);
  std::erase_if(found.linked, [&](jclass klass) {
    if (ClassTag::Of(jvmti, klass).state != ClassTag::State::kSeen) return false;
    SetState(jvmti, klass, ClassTag::State::kNone);
    return true;
  });
  return found;
}

std::string NameOf(jvmtiEnv* jvmti, jclass klass) {
  JvmtiString signature(jvmti);
  if (jvmti->GetClassSignature(klass, signature.address(), nullptr) != JVMTI_ERROR_NONE) return {};
  return std::string(Descriptor(ViewOf(signature)).ClassName().text());
}

std::set<std::string> NamesOf(jvmtiEnv* jvmti, std::span<const jclass> classes) {
  std::set<std::string> names;
  for (jclass klass : classes) names.insert(NameOf(jvmti, klass));
  return names;
}

}  // namespace iprof::vm
