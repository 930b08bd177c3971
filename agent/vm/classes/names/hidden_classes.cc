#include "agent/vm/classes/names/hidden_classes.h"

#include <fmt/core.h>

#include <optional>
#include <span>
#include <vector>

#include "agent/instrument/names/naming_facts.h"
#include "agent/vm/jvmti/boundary.h"
#include "agent/vm/jvmti/jvmti_memory.h"
#include "agent/vm/jvmti/vm_flags.h"

namespace iprof::vm {
namespace {

// MethodHandleNatives.Constants.STRONG_LOADER_LINK: the class lives as long as its loader. Lambdas
// have it.
constexpr jint kStrongLoaderLink = 4;

}  // namespace

HiddenClasses::Interception& HiddenClasses::Installed() {
  static Interception installed;
  return installed;
}

bool HiddenClasses::CanStart(JavaVM* vm, Log& log, bool attached) {
  if (attached && Installed().original.load() == nullptr) {
    log.Step("lambdas are neither counted nor named: the agent was attached to a running JVM");
    return false;
  }
  // Classes linked in an AOT cache cannot be combined with an early VMStart; the JVM would exit.
  for (const char* cache : {"AOTCache", "AOTCacheOutput", "AOTConfiguration"}) {
    if (VmFlags(vm).Text(cache).value_or("").empty()) continue;
    log.Step("an AOT cache rules out counting and naming lambdas");
    return false;
  }
  return true;
}

Status HiddenClasses::Start(JavaVM* vm) {
  Result<JvmtiEnvironment> opened = JvmtiEnvironment::Open(vm);
  if (!opened.ok()) return opened.status();
  environment_ = std::move(*opened);
  call_sites_.emplace(environment_.get());
  define_class_.emplace("libjava.so", "Java_java_lang_ClassLoader_defineClass0",
                        reinterpret_cast<const void*>(vm->functions->GetEnv));
  const bool is_bound = Installed().original.load() != nullptr;
  jvmtiCapabilities capabilities{};
  capabilities.can_get_bytecodes = 1;
  if (!is_bound) {
    capabilities.can_generate_native_method_bind_events = 1;
    // otherwise the method could be bound before we may request the event
    capabilities.can_generate_early_vmstart = 1;
  }
  jvmtiEventCallbacks callbacks{};
  callbacks.NativeMethodBind = NativeMethodBind;
  Status status = environment_.AddCapabilities(capabilities, "name lambdas");
  if (status.ok()) status = environment_.SetCallbacks(callbacks, this);
  if (!status.ok()) return status;
  Installed().gate.Open(this);
  if (!is_bound) status = environment_.Enable({JVMTI_EVENT_NATIVE_METHOD_BIND});
  return status;
}

bool HiddenClasses::Close() {
  Installed().gate.Close();
  const bool no_callback = environment_.StopEvents();
  return Installed().gate.Wait(kCallbackPatience) && no_callback;
}

void HiddenClasses::OnBind(jmethodID method, void* address, void** replacement) {
  if (!define_class_->MayBe(address)) return;
  JvmtiString name(environment_.get());
  if (environment_->GetMethodName(method, name.address(), nullptr, nullptr) != JVMTI_ERROR_NONE)
    return;
  if (ViewOf(name) != "defineClass0") return;
  jclass declaring = nullptr;
  if (environment_->GetMethodDeclaringClass(method, &declaring) != JVMTI_ERROR_NONE) return;
  JvmtiString signature(environment_.get());
  if (environment_->GetClassSignature(declaring, signature.address(), nullptr) !=
          JVMTI_ERROR_NONE ||
      ViewOf(signature) != "Ljava/lang/ClassLoader;") {
    return;
  }
  if (address != reinterpret_cast<void*>(&Replacement))
    Installed().original.store(reinterpret_cast<DefineClass0>(address), std::memory_order_release);
  // The event stays enabled: threads that race for the first call each bind the method. Without the
  // event, the last of them would restore the original.
  *replacement = reinterpret_cast<void*>(&Replacement);
}

HiddenClasses::Kind HiddenClasses::KindOf(std::string_view name) {
  if (name.ends_with("$$TypeSwitch")) return Kind::kTypeSwitch;
  return name.starts_with("java/lang/invoke/") ? Kind::kLinkage : Kind::kOther;
}

// Reads the stack only if the answer is not clear without it.
uint32_t HiddenClasses::NumberOf(JNIEnv* jni, jclass lookup) {
  JvmtiString signature(environment_.get());
  if (environment_->GetClassSignature(lookup, signature.address(), nullptr) != JVMTI_ERROR_NONE)
    return 0;
  const std::string_view capturing = Descriptor(ViewOf(signature)).ClassName().text();
  const instrument::LambdaNumbers& numbers = names_.lambda_numbers();
  if (!numbers.AnyIn(capturing)) return 0;
  const auto site = call_sites_->Find(jni, lookup);
  if (!site) return 0;
  return numbers.NumberOf(capturing, site->method, site->descriptor, site->call);
}

HiddenClasses::Prepared HiddenClasses::Prepare(JNIEnv* jni, jobject loader, jclass lookup,
                                               jbyteArray bytes, jint offset, jint length) {
  Prepared prepared;
  if (bytes == nullptr || lookup == nullptr || offset < 0 || length <= 0 ||
      jni->GetArrayLength(bytes) - offset < length) {
    return prepared;  // the original method will report the error
  }
  std::vector<uint8_t> original(static_cast<size_t>(length));
  jni->GetByteArrayRegion(bytes, offset, length, reinterpret_cast<jbyte*>(original.data()));
  classfile::Arena class_arena(8192);
  classfile::Arena code_arena(8192);
  classfile::ClassFile file;
  if (file.Parse(original, class_arena) != classfile::Reason::kOk) {
    ++seen_[static_cast<size_t>(Kind::kOther)];
    return prepared;
  }
  if (!instrument::IsLambdaClass(file)) {
    ++seen_[static_cast<size_t>(KindOf(file.name()))];
    return prepared;
  }
  ++seen_[static_cast<size_t>(Kind::kLambda)];
  const auto facts = instrument::ReadLambda(file, code_arena);
  const auto base = facts ? LambdaBaseName(*facts, names_.rule()) : std::nullopt;
  if (!base) {
    ++without_name_;
    return prepared;
  }
  prepared.class_name = file.name();
  prepared.stable_name = NumberedLambdaName(*base, names_.rule(), NumberOf(jni, lookup));
  HiddenClassCounting* const counting = counting_.load();
  if (counting == nullptr) return prepared;

  std::vector<uint8_t> rewritten;
  const HiddenClassBytes input{file.name(), prepared.stable_name, original};
  const bool counted = counting->InstrumentHidden(jni, loader, input, &rewritten, &prepared.held);
  if (!counted) return prepared;
  const auto new_length = static_cast<jint>(rewritten.size());
  prepared.rewritten = jni->NewByteArray(new_length);
  if (prepared.rewritten == nullptr) {
    jni->ExceptionClear();  // out of memory: define it uncounted
    return prepared;
  }
  prepared.length = new_length;
  jni->SetByteArrayRegion(prepared.rewritten, 0, new_length,
                          reinterpret_cast<const jbyte*>(rewritten.data()));
  ++counted_;
  return prepared;
}

void HiddenClasses::Remember(jclass defined, const std::string& stable_name, bool has_probes) {
  JvmtiString signature(environment_.get());
  if (environment_->GetClassSignature(defined, signature.address(), nullptr) != JVMTI_ERROR_NONE)
    return;
  const std::string_view name = Descriptor(ViewOf(signature)).ClassName().text();
  if (name.empty()) return;
  if (stable_name.empty()) {
    names_.Remove(name);
  } else {
    names_.Add(name, stable_name, watch_.TagOf(defined), has_probes);
  }
}

// Whether the pending exception says that the bytes are malformed. If so, clears it.
bool HiddenClasses::TakeFormatError(JNIEnv* jni) {
  jthrowable thrown = jni->ExceptionOccurred();
  if (thrown == nullptr) return false;
  jni->ExceptionClear();
  jclass klass = jni->GetObjectClass(thrown);
  JvmtiString signature(environment_.get());
  const bool known =
      environment_->GetClassSignature(klass, signature.address(), nullptr) == JVMTI_ERROR_NONE;
  const std::string_view name = known ? ViewOf(signature) : std::string_view();
  const bool format_error =
      name == "Ljava/lang/ClassFormatError;" || name == "Ljava/lang/VerifyError;";
  if (!format_error) jni->Throw(thrown);
  jni->DeleteLocalRef(klass);
  jni->DeleteLocalRef(thrown);
  return format_error;
}

std::string HiddenClasses::Report() const {
  const auto seen = [&](Kind kind) { return seen_[static_cast<size_t>(kind)].load(); };
  std::string report = fmt::format("lambdas: {} defined, {} counted, {} without a stable name\n",
                                   seen(Kind::kLambda), counted_.load(), without_name_.load());
  report += fmt::format(
      "hidden classes left out: {} method-handle linkage, {} type switches, {} others\n",
      seen(Kind::kLinkage), seen(Kind::kTypeSwitch), seen(Kind::kOther));
  report += fmt::format(
      "names of lambdas and proxies: {} in use, {} KiB; call "
      "sites of lambdas that share a name: "
      "{}, "
      "{} KiB\n",
      names_.size(), names_.bytes() / 1024, names_.lambda_numbers().size(),
      names_.lambda_numbers().bytes() / 1024);
  if (const uint64_t count = names_.lambda_numbers().refused(); count > 0) {
    report += fmt::format("call sites of lambdas without room for their number: {}\n", count);
  }
  if (Installed().original.load() == nullptr)
    report += "no hidden class was defined since the start\n";
  return report;
}

std::string HiddenClasses::LeftAlone() const {
  const uint64_t count = refused_.load();
  if (count == 0) return "";
  return fmt::format("lambdas left alone: {} (the JVM refused them with counters)\n", count);
}

// Defines the rewritten class. Defines the original one if there is no rewritten one or the JVM
// refuses it.
jclass HiddenClasses::Define(JNIEnv* jni, jclass holder, jobject loader, jclass lookup,
                             jstring name, jbyteArray bytes, jint offset, jint length,
                             jobject domain, jboolean initialize, jint flags, jobject class_data,
                             const Prepared& prepared, bool* refused) {
  const DefineClass0 original = Installed().original.load(std::memory_order_acquire);
  if (prepared.rewritten != nullptr) {
    jclass defined = original(jni, holder, loader, lookup, name, prepared.rewritten, 0,
                              prepared.length, domain, initialize, flags, class_data);
    const bool again = defined == nullptr && TakeFormatError(jni);
    jni->DeleteLocalRef(prepared.rewritten);
    if (!again) return defined;
    *refused = true;
    ++refused_;
  }
  return original(jni, holder, loader, lookup, name, bytes, offset, length, domain, initialize,
                  flags, class_data);
}

jclass JNICALL HiddenClasses::Replacement(JNIEnv* jni, jclass holder, jobject loader, jclass lookup,
                                          jstring name, jbyteArray bytes, jint offset, jint length,
                                          jobject domain, jboolean initialize, jint flags,
                                          jobject class_data) {
  Interception& installed = Installed();
  const CallbackGate::Passage passage(installed.gate);
  auto* const self = static_cast<HiddenClasses*>(passage.owner());
  if (self == nullptr) {
    return installed.original.load(std::memory_order_acquire)(jni, holder, loader, lookup, name,
                                                              bytes, offset, length, domain,
                                                              initialize, flags, class_data);
  }
  Prepared prepared;
  AtBoundary(self->log_, "defineClass0",
             [&] { prepared = self->Prepare(jni, loader, lookup, bytes, offset, length); });
  bool refused = false;
  const auto define = [&] {
    return self->Define(jni, holder, loader, lookup, name, bytes, offset, length, domain,
                        initialize, flags, class_data, prepared, &refused);
  };
  const bool is_named = !prepared.stable_name.empty();
  jclass defined = nullptr;
  if (is_named) {
    const HiddenNames::Defining scope(prepared.class_name, prepared.stable_name);
    defined = define();
  } else {
    defined = define();
  }
  if (prepared.held) {
    jclass kept = refused ? nullptr : defined;
    AtBoundary(self->log_, "defineClass0", [&] {
      self->counting_.load()->HiddenClassDefined(jni, loader, kept, *prepared.held);
    });
  }
  if (defined == nullptr) return nullptr;
  const bool has_probes = prepared.rewritten != nullptr && !refused;
  AtBoundary(self->log_, "defineClass0",
             [&] { self->Remember(defined, prepared.stable_name, has_probes); });
  if (HiddenClassCounting* const counting = self->counting_.load()) {
    const bool strong = (flags & kStrongLoaderLink) != 0;
    AtBoundary(self->log_, "defineClass0",
               [&] { counting->HiddenClassNamed(jni, defined, strong); });
  }
  return defined;
}

void JNICALL HiddenClasses::NativeMethodBind(jvmtiEnv* jvmti, JNIEnv* /*jni*/, jthread /*thread*/,
                                             jmethodID method, void* address, void** replacement) {
  const InCallback<HiddenClasses> self(jvmti);
  if (!self) return;
  AtBoundary(self->log_, "NativeMethodBind", [&] { self->OnBind(method, address, replacement); });
}

}  // namespace iprof::vm
