// JNI's functions over FakeJvm's objects.
#include <algorithm>

#include "agent/vm/jvmti/fake_jvm.h"

namespace iprof::vm {
namespace {

FakeObject* From(jobject reference) {
  auto* const object = reinterpret_cast<FakeObject*>(reference);
  return object == nullptr || object->is_gone ? nullptr : object;
}

template <typename Reference = jobject>
Reference To(FakeObject* object) {
  return reinterpret_cast<Reference>(object);
}

constexpr auto kRelaxed = std::memory_order_relaxed;

FakeClass* ClassFrom(jclass reference) { return static_cast<FakeClass*>(From(reference)); }
const FakeMethod& FieldFrom(jfieldID field) { return *reinterpret_cast<FakeMethod*>(field); }

template <typename Id>
Id Member(JNIEnv* jni, jclass owner, const char* name, const char* descriptor) {
  return reinterpret_cast<Id>(FakeJvm::Of(jni).Intern(ClassFrom(owner)->name, name, descriptor));
}

template <typename Array, typename Value>
void Read(JNIEnv*, Array array, jsize start, jsize length, Value* to) {
  for (jsize i = 0; i < length; ++i)
    to[i] = static_cast<Value>(
        From(array)->Long(static_cast<size_t>(start) + static_cast<size_t>(i)).load(kRelaxed));
}

template <typename Array, typename Value>
void Write(JNIEnv*, Array array, jsize start, jsize length, const Value* from) {
  for (jsize i = 0; i < length; ++i)
    From(array)
        ->Long(static_cast<size_t>(start) + static_cast<size_t>(i))
        .store(jlong{from[i]}, kRelaxed);
}

template <typename Array>
Array NewArray(JNIEnv* jni, jsize length) {
  FakeObject* const made = FakeJvm::Of(jni).NewObject(nullptr);
  made->longs.resize(static_cast<size_t>(length));
  return To<Array>(made);
}

}  // namespace

void FakeJvm::FillJni() {
  JNINativeInterface_& f = jni_functions_;
  f.GetJavaVM = [](JNIEnv* e, JavaVM** vm) -> jint {
    *vm = Of(e).vm();
    return JNI_OK;
  };
  // References.
  f.NewGlobalRef = [](JNIEnv* e, jobject o) {
    ++Of(e).live_global_references;
    return o;
  };
  f.DeleteGlobalRef = [](JNIEnv* e, jobject) { --Of(e).live_global_references; };
  f.NewWeakGlobalRef = [](JNIEnv* e, jobject o) {
    ++Of(e).live_weak_references;
    return reinterpret_cast<jweak>(o);
  };
  f.DeleteWeakGlobalRef = [](JNIEnv* e, jweak) { --Of(e).live_weak_references; };
  f.NewLocalRef = [](JNIEnv*, jobject o) { return To(From(o)); };
  f.DeleteLocalRef = [](JNIEnv*, jobject) {};
  f.PushLocalFrame = [](JNIEnv*, jint) -> jint { return JNI_OK; };
  f.PopLocalFrame = [](JNIEnv*, jobject) -> jobject { return nullptr; };
  f.IsSameObject = [](JNIEnv*, jobject a, jobject b) -> jboolean { return From(a) == From(b); };
  // Exceptions.
  f.ExceptionCheck = [](JNIEnv* e) -> jboolean { return Of(e).pending != nullptr; };
  f.ExceptionClear = [](JNIEnv* e) { Of(e).pending = nullptr; };
  f.ExceptionOccurred = [](JNIEnv* e) {
    FakeClass* const type = Of(e).pending;
    return type == nullptr ? nullptr : To<jthrowable>(Of(e).NewObject(type));
  };
  f.Throw = [](JNIEnv* e, jthrowable thrown) -> jint {
    Of(e).pending.store(From(thrown)->type);
    return JNI_OK;
  };
  // Classes and members.
  f.FindClass = [](JNIEnv* e, const char* name) -> jclass {
    // The agent's own classes exist once they are defined.
    if (std::string_view(name).starts_with("java/lang/Iprof")) return To<jclass>(Of(e).Find(name));
    return To<jclass>(Of(e).AddClass(name));
  };
  f.DefineClass = [](JNIEnv* e, const char* name, jobject loader, const jbyte* bytes,
                     jsize length) -> jclass {
    FakeJvm& jvm = Of(e);
    if (const auto refused = jvm.AnswerOf("DefineClass"); refused != JVMTI_ERROR_NONE) {
      jvm.pending = jvm.AddClass("java/lang/LinkageError");
      return nullptr;
    }
    FakeClass* const made = jvm.NoteDefined(name, From(loader));
    made->bytes.assign(bytes, bytes + length);
    return To<jclass>(made);
  };
  f.GetObjectClass = [](JNIEnv*, jobject o) { return To<jclass>(From(o)->type); };
  f.GetSuperclass = [](JNIEnv*, jclass c) { return To<jclass>(ClassFrom(c)->super); };
  f.IsInstanceOf = [](JNIEnv*, jobject o, jclass c) -> jboolean {
    // Arrays of counters have no class here.
    if (!From(o)->longs.empty()) return JNI_TRUE;
    const FakeClass* type = From(o)->type;
    while (type != nullptr && type != ClassFrom(c)) type = type->super;
    return type != nullptr;
  };
  f.GetMethodID = Member<jmethodID>;
  f.GetStaticMethodID = Member<jmethodID>;
  f.GetFieldID = Member<jfieldID>;
  f.GetStaticFieldID = Member<jfieldID>;
  f.CallStaticObjectMethodV = [](JNIEnv* e, jclass c, jmethodID m, va_list a) {
    return To(Of(e).Call(ClassFrom(c), m, a));
  };
  f.CallObjectMethodV = [](JNIEnv* e, jobject o, jmethodID m, va_list a) {
    return To(Of(e).Call(From(o), m, a));
  };
  f.CallVoidMethodV = [](JNIEnv* e, jobject o, jmethodID m, va_list a) {
    Of(e).Call(From(o), m, a);
  };
  f.CallStaticVoidMethodV = [](JNIEnv* e, jclass c, jmethodID m, va_list a) {
    Of(e).Call(ClassFrom(c), m, a);
  };
  f.NewObjectV = [](JNIEnv* e, jclass c, jmethodID, va_list) {
    return To(Of(e).NewObject(ClassFrom(c)));
  };
  f.AllocObject = [](JNIEnv* e, jclass c) { return To(Of(e).NewObject(ClassFrom(c))); };
  // Fields.
  f.GetStaticObjectField = [](JNIEnv* e, jclass c, jfieldID id) {
    const FakeMethod& field = FieldFrom(id);
    return To(Of(e).StaticField(ClassFrom(c), field.name, field.descriptor));
  };
  f.SetStaticObjectField = [](JNIEnv*, jclass c, jfieldID id, jobject value) {
    ClassFrom(c)->fields[FieldFrom(id).name] = From(value);
  };
  f.GetObjectField = [](JNIEnv*, jobject o, jfieldID id) {
    return To(From(o)->fields[FieldFrom(id).name]);
  };
  f.SetObjectField = [](JNIEnv*, jobject o, jfieldID id, jobject value) {
    From(o)->fields[FieldFrom(id).name] = From(value);
  };
  f.SetStaticIntField = [](JNIEnv*, jclass c, jfieldID id, jint value) {
    ClassFrom(c)->numbers[FieldFrom(id).name] = value;
  };
  f.SetStaticLongField = [](JNIEnv* e, jclass c, jfieldID id, jlong value) {
    const std::lock_guard lock(Of(e).mutex_);
    ClassFrom(c)->numbers[FieldFrom(id).name] = value;
  };
  f.GetLongField = [](JNIEnv*, jobject o, jfieldID id) {
    return From(o)->numbers[FieldFrom(id).name];
  };
  f.GetIntField = [](JNIEnv*, jobject o, jfieldID id) {
    return static_cast<jint>(From(o)->numbers[FieldFrom(id).name]);
  };
  // Texts and arrays.
  f.NewStringUTF = [](JNIEnv* e, const char* text) { return To<jstring>(Of(e).NewText(text)); };
  f.GetStringUTFChars = [](JNIEnv*, jstring text, jboolean*) { return From(text)->text.c_str(); };
  f.ReleaseStringUTFChars = [](JNIEnv*, jstring, const char*) {};
  f.GetArrayLength = [](JNIEnv*, jarray array) {
    return static_cast<jsize>(std::max(From(array)->longs.size(), From(array)->elements.size()));
  };
  f.NewByteArray = NewArray<jbyteArray>;
  f.NewLongArray = NewArray<jlongArray>;
  f.GetByteArrayRegion = Read<jbyteArray, jbyte>;
  f.SetByteArrayRegion = Write<jbyteArray, jbyte>;
  f.GetIntArrayRegion = Read<jintArray, jint>;
  f.SetIntArrayRegion = Write<jintArray, jint>;
  f.GetLongArrayRegion = Read<jlongArray, jlong>;
  f.SetLongArrayRegion = Write<jlongArray, jlong>;
  f.NewObjectArray = [](JNIEnv* e, jsize length, jclass, jobject) {
    FakeObject* const made = Of(e).NewObject(nullptr);
    made->elements.resize(static_cast<size_t>(length));
    return To<jobjectArray>(made);
  };
  f.GetObjectArrayElement = [](JNIEnv* e, jobjectArray array, jsize i) {
    const std::lock_guard lock(Of(e).mutex_);
    return To(From(array)->elements.at(static_cast<size_t>(i)));
  };
  f.SetObjectArrayElement = [](JNIEnv* e, jobjectArray array, jsize i, jobject value) {
    const std::lock_guard lock(Of(e).mutex_);
    From(array)->elements.at(static_cast<size_t>(i)) = From(value);
  };
}

}  // namespace iprof::vm
