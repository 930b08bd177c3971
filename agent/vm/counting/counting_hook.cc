// Counting's callbacks: the class-file hook and the JVM's events about classes; see counting.h.
#include <algorithm>

#include "agent/vm/classes/class_definitions.h"
#include "agent/vm/counting/counting.h"
#include "agent/vm/jvmti/boundary.h"
#include "agent/vm/jvmti/jvmti_memory.h"

namespace iprof::vm {

void Counting::OnClassLoad(JNIEnv* jni, jclass klass) {
  jobject loader = nullptr;
  if (environment_->GetClassLoader(klass, &loader) != JVMTI_ERROR_NONE) return;
  const bool may_go = watch_.MayGo(jni, loader);
  if (loader != nullptr) jni->DeleteLocalRef(loader);
  if (!may_go) return;
  JvmtiString signature(environment_.get());
  if (environment_->GetClassSignature(klass, signature.address(), nullptr) != JVMTI_ERROR_NONE)
    return;
  const InternalName name = Descriptor(ViewOf(signature)).ClassName();
  if (const auto held = ClassDefinitions::End(name.text())) held_.HoldWhileLoaded(klass, *held);
}

void Counting::OnClassPrepare(JNIEnv* jni, jclass klass) {
  guard_->Note(jni, klass);  // the JVM redefines linked classes only
  if (store_.counts_types()) store_.types().Prepared(environment_.get(), jni, klass);
  if (!IsOn()) return unlinked_.OnPrepare(environment_.get(), jni, klass, *guard_);
  if (earlier_ != nullptr && earlier_->OnPrepare(jni, klass)) thread_.Wake();
}

bool Counting::Instrument(JNIEnv* jni, const ClassInLoader& type, instrument::ClassBytes input,
                          const std::function<uint8_t*(size_t)>& output,
                          std::optional<instrument::ClassId>* held) {
  return access_.With(environment_.get(), jni, type, [&](instrument::ChunkAccess* access) {
    input.access = access;
    return instrumenter_.Instrument(input, output, held);
  });
}

// Returns false if the JVM has no memory for it.
bool Counting::Store(std::span<const uint8_t> bytes, jint* new_size, unsigned char** new_bytes) {
  unsigned char* memory = nullptr;
  if (environment_->Allocate(static_cast<jlong>(bytes.size()), &memory) != JVMTI_ERROR_NONE)
    return false;
  std::copy(bytes.begin(), bytes.end(), memory);
  *new_size = static_cast<jint>(bytes.size());
  *new_bytes = memory;
  return true;
}

// Also when nothing is counted any more: Object must keep its members when it is redefined.
void Counting::OnObject(std::span<const uint8_t> original, jint* new_size,
                        unsigned char** new_bytes) {
  std::vector<uint8_t> counted;
  constexpr std::string_view kName = "java/lang/Object";
  if (origin_ != nullptr) origin_->Note(nullptr, nullptr, kName, original);
  if (IsOn() && filter_.Accepts(nullptr, nullptr, kName)) {
    instrumenter_.Instrument({kName, original}, [&](size_t length) {
      counted.resize(length);
      return counted.data();
    });
  }
  const std::span<const uint8_t> bytes = counted.empty() ? original : std::span(counted);
  const std::vector<uint8_t> with_members = store_.reach().GiveMembers(bytes);
  if (!with_members.empty()) {
    Store(with_members, new_size, new_bytes);
  } else if (!counted.empty()) {
    Store(counted, new_size, new_bytes);
  }
}

void Counting::OnClassFile(JNIEnv* jni, jclass redefined, const ClassInLoader& type, jint* new_size,
                           unsigned char** new_bytes) {
  const std::span<const uint8_t> original = type.bytes;
  const std::string_view known_name = type.name;
  jobject loader = type.loader;
  if (plan_.names_lambdas) proxies_.names().lambda_numbers().Note(original);
  if (!filter_.Accepts(jni, loader, known_name)) return;
  std::optional<std::string> proxy;
  if (IsProxyName(InternalName(known_name))) {
    proxy = proxies_.NameLoading(environment_.get(), jni, loader, original);
  }
  const std::string_view profile_name = proxy ? std::string_view(*proxy) : known_name;
  std::optional<instrument::ClassId> held;
  Instrument(
      jni, type, {profile_name, original},
      [&](size_t length) -> uint8_t* {
        unsigned char* memory = nullptr;
        if (environment_->Allocate(static_cast<jlong>(length), &memory) != JVMTI_ERROR_NONE)
          return nullptr;
        *new_size = static_cast<jint>(length);
        *new_bytes = memory;
        return memory;
      },
      &held);
  // The class is held, so it is not forgotten before this.
  if (origin_ != nullptr && held) origin_->Note(jni, loader, known_name, original);
  // Classes that are never unloaded stay held; so do those of a Java agent that was initialised before us.
  if (!held || known_name.empty() || !watch_.MayGo(jni, loader)) return;
  if (redefined != nullptr) {
    held_.HoldWhileLoaded(redefined, *held);
  } else if (sees_loads_.load(std::memory_order_acquire)) {
    ClassDefinitions::Begin(known_name, *held,
                            reinterpret_cast<uintptr_t>(__builtin_frame_address(0)));
  }
}

bool Counting::InstrumentHidden(JNIEnv* jni, jobject loader, const HiddenClassBytes& input,
                                std::vector<uint8_t>* output,
                                std::optional<instrument::ClassId>* held) {
  if (!IsOn() || !filter_.Accepts(jni, loader, input.name)) {
    return false;
  }
  const ClassInLoader type{.loader = loader, .name = input.name, .bytes = input.bytes};
  return Instrument(
      jni, type, {input.profile_name, input.bytes},
      [&](size_t length) {
        output->resize(length);
        return output->data();
      },
      held);
}

void Counting::HiddenClassDefined(JNIEnv* jni, jobject loader, jclass defined,
                                  instrument::ClassId held) {
  if (defined == nullptr) {
    instrumenter_.Release(held);
  } else if (watch_.MayGo(jni, loader)) {
    held_.HoldWhileLoaded(defined, held);
  }
}

void Counting::HiddenClassNamed(JNIEnv* jni, jclass type, bool strong) {
  if (store_.counts_types()) store_.types().HiddenDefined(environment_.get(), jni, type, strong);
}

// --- Called by the JVM.

// Only classes that this thread has just sent through the hook matter.
void JNICALL Counting::ClassLoad(jvmtiEnv* jvmti, JNIEnv* jni, jthread /*thread*/, jclass klass) {
  if (!ClassDefinitions::Any()) return;
  const InCallback<Counting> self(jvmti);
  if (!self) return;
  AtBoundary(self->log_, "ClassLoad", [&] { self->OnClassLoad(jni, klass); });
}

void JNICALL Counting::ClassFileLoadHook(jvmtiEnv* jvmti, JNIEnv* jni, jclass redefined,
                                         jobject loader, const char* name, jobject /*domain*/,
                                         jint size, const unsigned char* bytes, jint* new_size,
                                         unsigned char** new_bytes) {
  const InCallback<Counting> self(jvmti);
  if (!self) return;
  if (loader == nullptr && self->plan_.startup.start == CountingStart::kFirstBytecode &&
      name != nullptr && std::string_view(name) == "java/lang/Object") {
    AtBoundary(self->log_, "ClassFileLoadHook", [&] {
      self->OnObject({bytes, static_cast<size_t>(size)}, new_size, new_bytes);
    });
    return;
  }
  if (!self->IsOn()) return;
  const ClassInLoader type{.loader = loader,
                           .name = name == nullptr ? std::string_view() : std::string_view(name),
                           .bytes = {bytes, static_cast<size_t>(size)},
                           .loading = redefined == nullptr};
  AtBoundary(self->log_, "ClassFileLoadHook",
             [&] { self->OnClassFile(jni, redefined, type, new_size, new_bytes); });
}

void JNICALL Counting::ClassPrepare(jvmtiEnv* jvmti, JNIEnv* jni, jthread /*thread*/,
                                    jclass klass) {
  const InCallback<Counting> self(jvmti);
  if (!self) return;
  AtBoundary(self->log_, "ClassPrepare", [&] { self->OnClassPrepare(jni, klass); });
}

}  // namespace iprof::vm
