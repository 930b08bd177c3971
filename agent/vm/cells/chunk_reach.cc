#include "agent/vm/cells/chunk_reach.h"

#include <string>

#include "agent/instrument/probes/inherited_members.h"
#include "agent/vm/cells/chunk_holders.h"
#include "agent/vm/cells/runtime_image.h"
#include "agent/vm/jvmti/boot_class.h"
#include "agent/vm/jvmti/local_frame.h"

namespace iprof::vm {

std::vector<uint8_t> ChunkReach::GiveMembers(std::span<const uint8_t> object_class) {
  classfile::Arena arena;
  classfile::ClassFile file;
  classfile::ByteSpan result;
  if (file.Parse(object_class, arena) != classfile::Reason::kOk ||
      instrument::AddInheritedMembers(file, kReachClassName, stripes_ > 1, arena, &result) !=
          classfile::Reason::kOk) {
    return {};
  }
  has_members_.store(true, std::memory_order_release);
  return {result.begin(), result.end()};
}

Status ChunkReach::Define(JNIEnv* jni) {
  if (runtime_ != nullptr) return {};  // an earlier start came this far
  const Result<jclass> defined = DefineBootClass(jni, kReachClassName, ReachClassBytes(stripes_));
  if (!defined.ok()) return defined.status();
  runtime_ = *defined;
  return {};
}

Status ChunkReach::Enter(JNIEnv* jni, const char* field, const char* descriptor, uint32_t chunk,
                         jobject value) {
  jfieldID id = jni->GetStaticFieldID(runtime_, field, descriptor);
  jobject all = id == nullptr ? nullptr : jni->GetStaticObjectField(runtime_, id);
  if (all == nullptr) return JniFailed(jni, "enter a chunk");
  jni->SetObjectArrayElement(static_cast<jobjectArray>(all), static_cast<jsize>(chunk), value);
  jni->DeleteLocalRef(all);
  return jni->ExceptionCheck() ? JniFailed(jni, "enter a chunk") : Status();
}

Status ChunkReach::AddCounters(JNIEnv* jni, uint32_t chunk, jobject arrays) {
  if (Status status = Enter(jni, "counters", "[Ljava/lang/Object;", chunk, arrays); !status.ok())
    return status;
  loader_holders_.AddChunk(LoaderHolders::Kind::kCounters, chunk, arrays);
  const bool has_field = has_members() && chunk < instrument::kInheritedFields;
  jclass array_class = has_field ? BootClass(jni, "[J") : nullptr;
  jclass object = has_field ? BootClass(jni, "java/lang/Object") : nullptr;
  Status status;
  if (has_field && (array_class == nullptr || object == nullptr)) {
    status = JniFailed(jni, "enter a chunk");
  } else if (has_field && jni->IsInstanceOf(arrays, array_class)) {  // otherwise in stripes
    const std::string name = instrument::InheritedFieldName(chunk);
    // Make it final, so that the compilers treat it as a constant. No code reads it before this.
    jfieldID field = jni->GetStaticFieldID(object, name.c_str(), "[J");
    if (field == nullptr) {
      status = JniFailed(jni, "enter a chunk");
    } else {
      jni->SetStaticObjectField(object, field, arrays);
    }
  }
  if (array_class != nullptr) jni->DeleteLocalRef(array_class);
  if (object != nullptr) jni->DeleteLocalRef(object);
  return status;
}

Status ChunkReach::AddSites(JNIEnv* jni, uint32_t chunk, jobject types, jobject counts) {
  Status status = Enter(jni, "types", "[[Ljava/lang/Class;", chunk, types);
  if (status.ok()) status = Enter(jni, "typeCounts", "[Ljava/lang/Object;", chunk, counts);
  if (status.ok()) loader_holders_.AddChunk(LoaderHolders::Kind::kSites, chunk, nullptr);
  return status;
}

Status ChunkReach::Open(JNIEnv* jni) {
  if (!has_members()) {
    JavaVM* vm = nullptr;
    if (jni->GetJavaVM(&vm) != JNI_OK) return {Code::kInternal, "the JVM does not say which it is"};
    return loader_holders_.Start(vm, jni);
  }
  const LocalFrame frame(jni);
  jclass object = BootClass(jni, "java/lang/Object");
  if (object == nullptr) return JniFailed(jni, "find java.lang.Object");
  if (Status status = HideMembers(jni, object); !status.ok()) return status;
  open_.store(true, std::memory_order_release);
  return {};
}

// Makes the JDK's reflection hide the members, as it does with some of the JDK's own.
Status ChunkReach::HideMembers(JNIEnv* jni, jclass object) {
  constexpr const char* kWhat = "hide the agent's members from reflection";
  jclass reflection = BootClass(jni, "jdk/internal/reflect/Reflection");
  jclass set = reflection == nullptr ? nullptr : BootClass(jni, "java/util/Set");
  jclass string = set == nullptr ? nullptr : BootClass(jni, "java/lang/String");
  if (string == nullptr) return JniFailed(jni, kWhat);
  jmethodID set_of = jni->GetStaticMethodID(set, "of", "([Ljava/lang/Object;)Ljava/util/Set;");
  if (set_of == nullptr) return JniFailed(jni, kWhat);
  const auto hide = [&](const std::vector<std::string>& names, const char* method) -> Status {
    jobjectArray array = jni->NewObjectArray(static_cast<jsize>(names.size()), string, nullptr);
    if (array == nullptr) return JniFailed(jni, kWhat);
    for (size_t i = 0; i < names.size(); ++i) {
      jstring name = jni->NewStringUTF(names[i].c_str());
      if (name == nullptr) return JniFailed(jni, kWhat);
      jni->SetObjectArrayElement(array, static_cast<jsize>(i), name);
      jni->DeleteLocalRef(name);
    }
    jmethodID filter =
        jni->GetStaticMethodID(reflection, method, "(Ljava/lang/Class;Ljava/util/Set;)V");
    if (filter == nullptr) return JniFailed(jni, kWhat);
    jobject all = jni->CallStaticObjectMethod(set, set_of, array);
    if (jni->ExceptionCheck()) return JniFailed(jni, kWhat);
    jni->CallStaticVoidMethod(reflection, filter, object, all);
    return jni->ExceptionCheck() ? JniFailed(jni, kWhat) : Status();
  };
  std::vector<std::string> fields;
  for (uint32_t i = 0; i < instrument::kInheritedFields; ++i)
    fields.push_back(instrument::InheritedFieldName(i));
  Status status = hide(fields, "registerFieldsToFilter");
  if (status.ok()) {
    std::vector<std::string> methods;
    for (const instrument::InheritedMethod& method : instrument::kInheritedMethods)
      methods.push_back(method.Name());
    status = hide(methods, "registerMethodsToFilter");
  }
  if (!status.ok()) return status;
  // Clear what reflection has cached.
  jclass class_class = BootClass(jni, "java/lang/Class");
  jfieldID known = class_class == nullptr ? nullptr
                                          : jni->GetFieldID(class_class, "reflectionData",
                                                            "Ljava/lang/ref/SoftReference;");
  if (known == nullptr) return JniFailed(jni, kWhat);
  jni->SetObjectField(object, known, nullptr);
  return {};
}

}  // namespace iprof::vm
