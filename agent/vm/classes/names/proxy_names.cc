#include "agent/vm/classes/names/proxy_names.h"

#include <algorithm>

#include "agent/instrument/names/naming_facts.h"
#include "agent/vm/jvmti/boot_class.h"
#include "agent/vm/jvmti/jvmti_memory.h"
#include "writer/names/type_names.h"

namespace iprof::vm {
namespace {

jfieldID NameField(JNIEnv* jni, const char* class_name) {
  jclass klass = BootClass(jni, class_name);
  jfieldID field =
      klass == nullptr ? nullptr : jni->GetFieldID(klass, "name", "Ljava/lang/String;");
  if (jni->ExceptionCheck()) {
    jni->ExceptionClear();
    field = nullptr;
  }
  if (klass != nullptr) jni->DeleteLocalRef(klass);
  return field;
}

// A field of type String, in modified UTF-8; nullopt if it is null.
std::optional<std::string> TextField(JNIEnv* jni, jobject object, jfieldID field) {
  auto* text = static_cast<jstring>(jni->GetObjectField(object, field));
  if (text == nullptr) return std::nullopt;
  std::optional<std::string> read;
  if (const char* chars = jni->GetStringUTFChars(text, nullptr)) {
    read = chars;
    jni->ReleaseStringUTFChars(text, chars);
  } else {
    jni->ExceptionClear();
  }
  jni->DeleteLocalRef(text);
  return read;
}

}  // namespace

void ProxyNames::LearnFields(JNIEnv* jni) {
  if (learnt_.load(std::memory_order_acquire)) return;
  loader_name_ = NameField(jni, "java/lang/ClassLoader");
  module_name_ = NameField(jni, "java/lang/Module");
  learnt_.store(loader_name_ != nullptr && module_name_ != nullptr, std::memory_order_release);
}

std::optional<std::string> ProxyNames::LoaderName(jvmtiEnv* jvmti, JNIEnv* jni,
                                                  jobject loader) const {
  if (loader == nullptr) return std::nullopt;
  if (auto name = TextField(jni, loader, loader_name_)) return name;
  jclass klass = jni->GetObjectClass(loader);
  JvmtiString signature(jvmti);
  std::string name;
  if (jvmti->GetClassSignature(klass, signature.address(), nullptr) == JVMTI_ERROR_NONE) {
    name = TypeNameOf(Descriptor(ViewOf(signature))).value_or("");
  }
  jni->DeleteLocalRef(klass);
  return name;
}

std::optional<std::string> ProxyNames::ModuleName(jvmtiEnv* jvmti, JNIEnv* jni, jobject loader,
                                                  const std::string& package) const {
  jobject module = nullptr;
  if (jvmti->GetNamedModule(loader, package.c_str(), &module) != JVMTI_ERROR_NONE ||
      module == nullptr) {
    return std::nullopt;
  }
  auto name = TextField(jni, module, module_name_);
  jni->DeleteLocalRef(module);
  return name;
}

std::string ProxyNames::Name(jvmtiEnv* jvmti, JNIEnv* jni, jobject loader,
                             std::string_view hotspot_name, ProxyFacts facts) {
  facts.loader = LoaderName(jvmti, jni, loader);
  if (!IsDynamicProxyPackage(facts.package)) {
    facts.module = ModuleName(jvmti, jni, loader, facts.package);
  }
  const UnloadTag tag = watch_.TagOf(loader);
  return names_.AddProxy(hotspot_name, ProxyBaseName(facts), ProxyText(facts), tag);
}

std::optional<std::string> ProxyNames::NameLoading(jvmtiEnv* jvmti, JNIEnv* jni, jobject loader,
                                                   std::span<const uint8_t> bytes) {
  if (!learnt_.load(std::memory_order_acquire)) return std::nullopt;
  classfile::Arena arena(4096);
  classfile::ClassFile file;
  if (file.Parse(bytes, arena) != classfile::Reason::kOk) return std::nullopt;
  auto facts = instrument::ReadProxy(file);
  if (!facts) return std::nullopt;
  return Name(jvmti, jni, loader, file.name(), std::move(*facts));
}

void ProxyNames::NameLoaded(jvmtiEnv* jvmti, JNIEnv* jni, jclass klass,
                            std::string_view signature) {
  const InternalName name = Descriptor(signature).ClassName();
  if (!IsProxyName(name)) return;
  if (!learnt_.load(std::memory_order_acquire)) LearnFields(jni);
  if (!learnt_.load(std::memory_order_acquire)) return;
  const auto java_name = TypeNameOf(Descriptor(signature));
  if (!java_name || names_.StableName(BinaryName(*java_name))) return;
  jclass super = jni->GetSuperclass(klass);
  if (super == nullptr) return;
  JvmtiString super_signature(jvmti);
  const bool is_proxy =
      jvmti->GetClassSignature(super, super_signature.address(), nullptr) == JVMTI_ERROR_NONE &&
      ViewOf(super_signature) == "Ljava/lang/reflect/Proxy;";
  jni->DeleteLocalRef(super);
  if (!is_proxy) return;

  ProxyFacts facts;
  const std::string_view internal = name.text();
  const size_t slash = internal.rfind('/');
  if (slash != std::string_view::npos) facts.package = internal.substr(0, slash);
  jint count = 0;
  JvmtiMemory<jclass> interfaces(jvmti);
  if (jvmti->GetImplementedInterfaces(klass, &count, interfaces.address()) != JVMTI_ERROR_NONE)
    return;
  for (jint i = 0; i < count; ++i) {
    JvmtiString type(jvmti);
    if (jvmti->GetClassSignature(interfaces[i], type.address(), nullptr) == JVMTI_ERROR_NONE) {
      facts.interfaces.push_back(TypeNameOf(Descriptor(ViewOf(type))).value_or(""));
    }
    jni->DeleteLocalRef(interfaces[i]);
  }
  jobject loader = nullptr;
  if (jvmti->GetClassLoader(klass, &loader) != JVMTI_ERROR_NONE) return;
  Name(jvmti, jni, loader, internal, std::move(facts));
  if (loader != nullptr) jni->DeleteLocalRef(loader);
}

}  // namespace iprof::vm
