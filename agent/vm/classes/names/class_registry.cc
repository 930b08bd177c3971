#include "agent/vm/classes/names/class_registry.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "agent/vm/jvmti/jvmti_error.h"
#include "agent/vm/jvmti/jvmti_memory.h"
#include "agent/vm/jvmti/loaded_classes.h"
#include "writer/names/own_classes.h"
#include "writer/names/type_names.h"

namespace iprof::vm {
namespace {

struct LoadedClass {
  std::string descriptor;
  jclass klass;
};

using NamedMethod = std::pair<std::string, std::string>;  // name, descriptor

// The methods that a prepared class declares; none for other classes and for arrays.
std::vector<NamedMethod> DeclaredMethods(jvmtiEnv* jvmti, jclass klass, RegistryCounts& counts) {
  std::vector<NamedMethod> methods;
  jint status = 0;
  if (jvmti->GetClassStatus(klass, &status) != JVMTI_ERROR_NONE ||
      (status & JVMTI_CLASS_STATUS_PREPARED) == 0) {
    return methods;
  }
  jint count = 0;
  JvmtiMemory<jmethodID> ids(jvmti);
  if (jvmti->GetClassMethods(klass, &count, ids.address()) != JVMTI_ERROR_NONE) return methods;
  methods.reserve(static_cast<size_t>(count));
  for (jint i = 0; i < count; ++i) {
    JvmtiString name(jvmti);
    JvmtiString descriptor(jvmti);
    if (jvmti->GetMethodName(ids[i], name.address(), descriptor.address(), nullptr) !=
        JVMTI_ERROR_NONE) {
      ++counts.left_out_methods;
      continue;
    }
    methods.emplace_back(ViewOf(name), ViewOf(descriptor));
  }
  std::sort(methods.begin(), methods.end());
  return methods;
}

// The classes with their descriptors.
std::vector<LoadedClass> Describe(jvmtiEnv* jvmti, std::span<const jclass> classes,
                                  RegistryCounts& counts) {
  std::vector<LoadedClass> described;
  described.reserve(classes.size());
  for (jclass klass : classes) {
    JvmtiString descriptor(jvmti);
    const jvmtiError error = jvmti->GetClassSignature(klass, descriptor.address(), nullptr);
    if (error != JVMTI_ERROR_NONE || IsOwnClass(Descriptor(ViewOf(descriptor)).ClassName())) {
      ++counts.left_out_classes;
    } else if (IsHiddenClass(Descriptor(ViewOf(descriptor)))) {
      ++counts.hidden_classes;
    } else {
      described.push_back({std::string(ViewOf(descriptor)), klass});
    }
  }
  std::sort(described.begin(), described.end(),
            [](const LoadedClass& a, const LoadedClass& b) { return a.descriptor < b.descriptor; });
  return described;
}

}  // namespace

Result<RegistryCounts> AddLoadedClasses(const ClassSource& source, jvmtiEnv* jvmti, JNIEnv* jni,
                                        const MethodFilter& leave_out, ProxyNames& proxies,
                                        Profile& profile) {
  RegistryCounts counts;
  const LoadedClasses classes(source, jvmti, jni);
  if (classes.error() != JVMTI_ERROR_NONE) {
    return JvmtiFailure("list the loaded classes", classes.error());
  }
  for (const LoadedClass& loaded : Describe(jvmti, classes.all(), counts)) {
    proxies.NameLoaded(jvmti, jni, loaded.klass, loaded.descriptor);
    const auto name = proxies.names().ProfileName(Descriptor(loaded.descriptor));
    if (!name) {
      ++counts.left_out_classes;
      continue;
    }
    const std::vector<NamedMethod> methods = DeclaredMethods(jvmti, loaded.klass, counts);
    const std::vector<std::pair<std::string_view, std::string_view>> names(methods.begin(),
                                                                           methods.end());
    const DeclaredClass declared{
        .owner = Descriptor(loaded.descriptor).ClassName(), .name = *name, .methods = names};
    counts.left_out_methods += static_cast<int64_t>(AddDeclaredClass(declared, leave_out, profile));
  }
  return counts;
}

}  // namespace iprof::vm
