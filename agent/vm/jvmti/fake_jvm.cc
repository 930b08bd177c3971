#include "agent/vm/jvmti/fake_jvm.h"

#include <algorithm>

#include "agent/vm/jvmti/jvmti_error.h"

namespace iprof::vm {

FakeJvm::FakeJvm() {
  vm_functions_.reserved0 = this;
  vm_functions_.AttachCurrentThreadAsDaemon = [](JavaVM* vm, void** env, void*) -> jint {
    auto& jvm = *static_cast<FakeJvm*>(vm->functions->reserved0);
    if (!jvm.attaches) return JNI_ERR;
    ++jvm.attached_threads;
    *env = jvm.jni();
    return JNI_OK;
  };
  vm_functions_.DetachCurrentThread = [](JavaVM* vm) -> jint {
    --static_cast<FakeJvm*>(vm->functions->reserved0)->attached_threads;
    return JNI_OK;
  };
  vm_functions_.GetEnv = [](JavaVM* vm, void** env, jint version) -> jint {
    return static_cast<FakeJvm*>(vm->functions->reserved0)->Open(env, version);
  };
  vm_.functions = &vm_functions_;
  jni_functions_.reserved0 = this;
  jni_.functions = &jni_functions_;
  FillJni();
  properties["java.vm.version"] = "17.0.1+1";
  properties["java.vm.name"] = "OpenJDK 64-Bit Server VM";
  for (const char* name : {"java/lang/Object", "java/lang/Class", "java/lang/ClassLoader",
                           "java/lang/String", "java/lang/Thread", "java/lang/Module"})
    AddClass(name);
  platform_loader = NewObject(AddClass("jdk/internal/loader/ClassLoaders$PlatformClassLoader"));
  application_loader = NewObject(AddClass("jdk/internal/loader/ClassLoaders$AppClassLoader"));
  bodies["java/lang/ClassLoader.getPlatformClassLoader"] = [this](FakeObject*, va_list) {
    return platform_loader;
  };
  bodies["java/lang/ClassLoader.getSystemClassLoader"] = [this](FakeObject*, va_list) {
    return application_loader;
  };
}

FakeJvm::~FakeJvm() {
  for (std::thread& thread : threads_) thread.join();
  while (attached_threads > 0) std::this_thread::yield();
}

size_t FakeJvm::open_environments() const {
  return static_cast<size_t>(std::count_if(environments_.begin(), environments_.end(),
                                           [](const auto& one) { return !one.is_disposed; }));
}

std::set<jvmtiEvent> FakeJvm::enabled_events() const {
  const std::lock_guard lock(mutex_);
  std::set<jvmtiEvent> all;
  for (const FakeEnvironment& one : environments_)
    if (!one.is_disposed) all.insert(one.enabled.begin(), one.enabled.end());
  return all;
}

jvmtiError FakeJvm::AnswerOf(const std::string& call) const {
  const auto found = refuse.find(call);
  return found == refuse.end() ? JVMTI_ERROR_NONE : found->second;
}

jint FakeJvm::Open(void** env, jint version) {
  if (version < JVMTI_VERSION_1_0) {
    *env = &jni_;
    return JNI_OK;
  }
  if (!has_jvmti) return JNI_EVERSION;
  if (is_between_phases) return JNI_EDETACHED;
  FakeEnvironment& made = environments_.emplace_back();
  made.jvm = this;
  made.functions.reserved1 = &made;
  made.env.functions = &made.functions;
  FillJvmti(made.functions);
  *env = &made.env;
  return JNI_OK;
}

FakeObject* FakeJvm::NewObject(FakeClass* type) {
  const std::lock_guard lock(mutex_);
  objects_.push_back(std::make_unique<FakeObject>());
  objects_.back()->type = type;
  return objects_.back().get();
}

FakeObject* FakeJvm::NewText(std::string_view text) {
  FakeObject* const made = NewObject(nullptr);
  made->text = text;
  return made;
}

FakeObject* FakeJvm::NewBytes(const std::vector<uint8_t>& bytes) {
  FakeObject* const made = NewObject(nullptr);
  made->longs.assign(bytes.begin(), bytes.end());
  return made;
}

FakeClass* FakeJvm::AddClass(const std::string& name, FakeObject* loader) {
  const std::lock_guard lock(mutex_);
  if (FakeClass* const known = Find(name, loader)) return known;
  auto made = std::make_unique<FakeClass>();
  made->name = name;
  made->loader = loader;
  classes_.push_back(made.get());
  objects_.push_back(std::move(made));
  return classes_.back();
}

FakeClass* FakeJvm::NoteDefined(const char* name, FakeObject* loader) {
  const std::lock_guard lock(mutex_);
  defined.emplace_back(name);
  return AddClass(name, loader);
}

FakeClass* FakeJvm::Find(std::string_view name, const FakeObject* loader) const {
  const std::lock_guard lock(mutex_);
  for (FakeClass* const one : classes_)
    if (one->name == name && one->loader == loader && !one->is_gone) return one;
  return nullptr;
}

void FakeJvm::CountRedefinition(const FakeClass& redefined) {
  for (FakeClass* each : classes()) {
    for (const FakeClass* up = each; up != nullptr; up = up->super) {
      if (up == &redefined) ++each->numbers["classRedefinedCount"];
    }
  }
}

std::vector<FakeClass*> FakeJvm::classes() const {
  const std::lock_guard lock(mutex_);
  std::vector<FakeClass*> all;
  for (FakeClass* const one : classes_)
    if (!one->is_gone) all.push_back(one);
  return all;
}

FakeMethod* FakeJvm::Intern(const std::string& owner, const std::string& name,
                            const std::string& descriptor) {
  const std::lock_guard lock(mutex_);
  auto& method = interned_[owner + "." + name + descriptor];
  if (method == nullptr) {
    method = std::make_unique<FakeMethod>();
    method->owner = Find(owner);
    method->name = name;
    method->descriptor = descriptor;
  }
  return method.get();
}

FakeMethod* FakeJvm::AddMethod(FakeClass* owner, const std::string& name,
                               const std::string& descriptor) {
  FakeMethod* const made = Intern(owner->name, name, descriptor);
  made->owner = owner;
  owner->methods.push_back(made);
  return made;
}

FakeObject* FakeJvm::Call(FakeObject* receiver, jmethodID method, va_list arguments) {
  const auto* const called = reinterpret_cast<const FakeMethod*>(method);
  const std::string owner = called->owner == nullptr ? "" : called->owner->name;
  const auto found = bodies.find(owner + "." + called->name);
  return found == bodies.end() ? nullptr : found->second(receiver, arguments);
}

// A field that was never written holds what its class's initialiser would have stored.
FakeObject* FakeJvm::StaticField(FakeClass* owner, const std::string& name,
                                 const std::string& descriptor) {
  constexpr size_t kElements = 32768;
  const std::lock_guard lock(mutex_);
  FakeObject*& value = owner->fields[name];
  if (value == nullptr) {
    value = NewObject(nullptr);
    if (descriptor.starts_with("[L") || descriptor.starts_with("[["))
      value->elements.resize(kElements);
    else if (descriptor.starts_with("["))
      value->longs.resize(kElements);
  }
  return value;
}

void FakeJvm::Enable(FakeEnvironment& environment, jvmtiEvent event, bool is_on) {
  const std::lock_guard lock(mutex_);
  if (is_on) {
    environment.enabled.insert(event);
  } else {
    environment.enabled.erase(event);
  }
}

template <typename Tell>
void FakeJvm::Each(jvmtiEvent event, Tell tell) {
  const auto has = [&](const FakeEnvironment& one) {
    const std::lock_guard lock(mutex_);
    return !one.is_disposed && one.enabled.contains(event);
  };
  // By index, because a callback may open another environment.
  for (size_t i = 0; i < environments_.size(); ++i) {
    FakeEnvironment& one = environments_[i];
    if (has(one)) tell(one);
  }
}

void FakeJvm::StartPhase() {
  Each(JVMTI_EVENT_VM_START, [&](FakeEnvironment& one) { one.callbacks.VMStart(&one.env, &jni_); });
}

void FakeJvm::LivePhase() {
  Each(JVMTI_EVENT_VM_INIT,
       [&](FakeEnvironment& one) { one.callbacks.VMInit(&one.env, &jni_, nullptr); });
}

void FakeJvm::Die() {
  Each(JVMTI_EVENT_VM_DEATH, [&](FakeEnvironment& one) { one.callbacks.VMDeath(&one.env, &jni_); });
}

void FakeJvm::RequestDump() {
  Each(JVMTI_EVENT_DATA_DUMP_REQUEST,
       [&](FakeEnvironment& one) { one.callbacks.DataDumpRequest(&one.env); });
}

void FakeJvm::Allocate(FakeObject* object, jlong size) {
  Each(JVMTI_EVENT_SAMPLED_OBJECT_ALLOC, [&](FakeEnvironment& one) {
    one.callbacks.SampledObjectAlloc(
        &one.env, &jni_, nullptr, reinterpret_cast<jobject>(object),
        reinterpret_cast<jclass>(static_cast<FakeObject*>(object->type)), size);
  });
}

void FakeJvm::CollectGarbage() {
  Each(JVMTI_EVENT_GARBAGE_COLLECTION_FINISH,
       [&](FakeEnvironment& one) { one.callbacks.GarbageCollectionFinish(&one.env); });
}

void FakeJvm::BeginToWait(FakeObject* thread, FakeObject* monitor) {
  Each(JVMTI_EVENT_MONITOR_CONTENDED_ENTER, [&](FakeEnvironment& one) {
    one.callbacks.MonitorContendedEnter(&one.env, &jni_, reinterpret_cast<jthread>(thread),
                                        reinterpret_cast<jobject>(monitor));
  });
}

void FakeJvm::EndToWait(FakeObject* thread, FakeObject* monitor) {
  Each(JVMTI_EVENT_MONITOR_CONTENDED_ENTERED, [&](FakeEnvironment& one) {
    one.callbacks.MonitorContendedEntered(&one.env, &jni_, reinterpret_cast<jthread>(thread),
                                          reinterpret_cast<jobject>(monitor));
  });
}

std::vector<uint8_t> FakeJvm::ThroughHooks(FakeClass* redefined, const std::string& name,
                                           FakeObject* loader, std::vector<uint8_t> bytes,
                                           bool can_retransform) {
  Each(JVMTI_EVENT_CLASS_FILE_LOAD_HOOK, [&](FakeEnvironment& one) {
    if ((one.capabilities.can_retransform_classes == 1) != can_retransform) return;
    jint size = 0;
    unsigned char* changed = nullptr;
    one.callbacks.ClassFileLoadHook(&one.env, &jni_, reinterpret_cast<jclass>(redefined),
                                    reinterpret_cast<jobject>(loader), name.c_str(), nullptr,
                                    static_cast<jint>(bytes.size()), bytes.data(), &size, &changed);
    if (changed == nullptr) return;
    bytes.assign(changed, changed + size);
    one.env.Deallocate(changed);
  });
  return bytes;
}

FakeClass* FakeJvm::Load(const std::string& name, std::vector<uint8_t> bytes, FakeObject* loader) {
  bytes = ThroughHooks(nullptr, name, loader, std::move(bytes), false);
  std::vector<uint8_t> changed = ThroughHooks(nullptr, name, loader, bytes, true);
  FakeClass* const made = AddClass(name, loader);
  made->kept = std::move(bytes);
  made->bytes = std::move(changed);
  auto* const reference = reinterpret_cast<jclass>(made);
  Each(JVMTI_EVENT_CLASS_LOAD,
       [&](FakeEnvironment& one) { one.callbacks.ClassLoad(&one.env, &jni_, nullptr, reference); });
  Prepare(made);
  return made;
}

void FakeJvm::Prepare(FakeClass* klass) {
  auto* const reference = reinterpret_cast<jclass>(klass);
  Each(JVMTI_EVENT_CLASS_PREPARE, [&](FakeEnvironment& one) {
    one.callbacks.ClassPrepare(&one.env, &jni_, nullptr, reference);
  });
}

void FakeJvm::Unload(FakeObject* object) {
  object->is_gone = true;
  Each(JVMTI_EVENT_OBJECT_FREE, [&](FakeEnvironment& one) {
    const auto tag = one.tags.find(object);
    if (tag == one.tags.end()) return;
    const jlong value = tag->second;
    one.tags.erase(tag);
    one.callbacks.ObjectFree(&one.env, value);
  });
}

void* FakeJvm::Bind(FakeMethod* method, void* address) {
  void* bound = address;
  Each(JVMTI_EVENT_NATIVE_METHOD_BIND, [&](FakeEnvironment& one) {
    one.callbacks.NativeMethodBind(&one.env, &jni_, nullptr, reinterpret_cast<jmethodID>(method),
                                   address, &bound);
  });
  return bound;
}

void FakeJvm::RunThread(jvmtiEnv* env, jvmtiStartFunction run, void* argument) {
  ++agent_threads;
  threads_.emplace_back([this, env, run, argument] {
    run(env, &jni_, argument);
    --agent_threads;
  });
}

}  // namespace iprof::vm
