#include "agent/vm/classes/names/frame_methods.h"

#include <utility>

#include "agent/instrument/probes/inherited_members.h"
#include "agent/vm/classes/names/proxy_names.h"
#include "agent/vm/jvmti/jvmti_memory.h"
#include "writer/names/own_classes.h"
#include "writer/names/type_names.h"

namespace iprof::vm {

TypeNaming NamingBy(ProxyNames& proxies) {
  return [&proxies](jvmtiEnv* jvmti, JNIEnv* jni, jclass type,
                    std::string_view signature) -> std::optional<std::string> {
    if (IsGeneratedAccessor(Descriptor(signature))) return std::nullopt;
    proxies.NameLoaded(jvmti, jni, type, signature);
    return proxies.names().ProfileName(Descriptor(signature));
  };
}

FrameKind FrameKindOf(std::string_view class_descriptor, std::string_view name) {
  const InternalName owner = Descriptor(class_descriptor).ClassName();
  if (owner.text() == kLocksClassName && name == "park") return FrameKind::kLinkage;
  if (IsOwnClass(owner) ||
      (owner.text() == "java/lang/Object" && instrument::IsInheritedName(name)))
    return FrameKind::kProbe;
  if (IsLinkageClass(owner)) return FrameKind::kLinkage;
  const bool is_entry = name == "enterSpecial" || name == "enter" || name == "enter0";
  return is_entry && owner.text() == "jdk/internal/vm/Continuation" ? FrameKind::kContinuation
                                                                    : FrameKind::kOrdinary;
}

std::optional<FrameMethod> LearnFrameMethod(jvmtiEnv* jvmti, JNIEnv* jni, jmethodID id,
                                            jclass klass, const TypeNaming& naming) {
  JvmtiString signature(jvmti);
  JvmtiString name(jvmti);
  JvmtiString descriptor(jvmti);
  if (jvmti->GetClassSignature(klass, signature.address(), nullptr) != JVMTI_ERROR_NONE ||
      jvmti->GetMethodName(id, name.address(), descriptor.address(), nullptr) != JVMTI_ERROR_NONE)
    return std::nullopt;
  FrameMethod method{.kind = FrameKindOf(ViewOf(signature), ViewOf(name)),
                     .class_descriptor = std::string(ViewOf(signature)),
                     .type = {},
                     .name = std::string(ViewOf(name)),
                     .descriptor = std::string(ViewOf(descriptor))};
  if (method.kind != FrameKind::kOrdinary) return method;
  std::optional<std::string> type = naming(jvmti, jni, klass, ViewOf(signature));
  if (type)
    method.type = std::move(*type);
  else
    method.kind = FrameKind::kUnstable;
  return method;
}

}  // namespace iprof::vm
