// JVMTI's functions over FakeJvm's objects.
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "agent/vm/jvmti/fake_jvm.h"
#include "agent/vm/jvmti/jvmti_error.h"

namespace iprof::vm {
namespace {

FakeObject* From(jobject reference) { return reinterpret_cast<FakeObject*>(reference); }
FakeClass* ClassFrom(jclass reference) { return static_cast<FakeClass*>(From(reference)); }
const FakeMethod& MethodFrom(jmethodID method) { return *reinterpret_cast<FakeMethod*>(method); }

template <typename T>
T* Allocated(size_t count) {
  constexpr size_t kEach = sizeof(T);  // NOLINT(bugprone-sizeof-expression): T may be a pointer
  return static_cast<T*>(std::malloc(std::max<size_t>(1, count * kEach)));
}

char* TextOf(const std::string& text) {
  char* const made = Allocated<char>(text.size() + 1);
  std::memcpy(made, text.c_str(), text.size() + 1);
  return made;
}

// The signature of a class. Hidden classes and arrays have the names that tests give them.
std::string SignatureOf(const FakeClass& type) {
  return type.name.starts_with("[") ? type.name : "L" + type.name + ";";
}

template <typename Reference>
Reference* ListOf(const std::vector<FakeClass*>& all) {
  auto* const made = Allocated<Reference>(all.size());
  for (size_t i = 0; i < all.size(); ++i) made[i] = reinterpret_cast<Reference>(all[i]);
  return made;
}

jvmtiError JNICALL SetMode(jvmtiEnv* e, jvmtiEventMode mode, jvmtiEvent event, jthread, ...) {
  FakeEnvironment& environment = FakeJvm::Of(e);
  if (mode == JVMTI_DISABLE) {
    environment.jvm->Enable(environment, event, false);
    return JVMTI_ERROR_NONE;
  }
  const jvmtiError answer =
      environment.jvm->AnswerOf("enable " + std::string(JvmtiEventName(event)));
  if (answer == JVMTI_ERROR_NONE) environment.jvm->Enable(environment, event, true);
  return answer;
}

}  // namespace

void FakeJvm::FillJvmti(jvmtiInterface_1_& f) {
  f.Allocate = [](jvmtiEnv* e, jlong size, unsigned char** memory) {
    *memory = Allocated<unsigned char>(static_cast<size_t>(size));
    return Of(e).jvm->AnswerOf("Allocate");
  };
  f.Deallocate = [](jvmtiEnv*, unsigned char* memory) {
    std::free(memory);
    return JVMTI_ERROR_NONE;
  };
  f.DisposeEnvironment = [](jvmtiEnv* e) {
    Of(e).is_disposed = true;
    return JVMTI_ERROR_NONE;
  };
  f.SetEnvironmentLocalStorage = [](jvmtiEnv* e, const void* data) {
    Of(e).storage = const_cast<void*>(data);
    return JVMTI_ERROR_NONE;
  };
  f.SetThreadLocalStorage = [](jvmtiEnv* e, jthread, const void*) {
    return Of(e).jvm->AnswerOf("SetThreadLocalStorage");
  };
  f.GetEnvironmentLocalStorage = [](jvmtiEnv* e, void** data) {
    *data = Of(e).storage;
    return JVMTI_ERROR_NONE;
  };
  f.AddCapabilities = [](jvmtiEnv* e, const jvmtiCapabilities* wanted) {
    const jvmtiError answer = Of(e).jvm->AnswerOf("AddCapabilities");
    if (answer == JVMTI_ERROR_NONE) {
      auto* const to = reinterpret_cast<unsigned char*>(&Of(e).capabilities);
      const auto* const from = reinterpret_cast<const unsigned char*>(wanted);
      for (size_t i = 0; i < sizeof *wanted; ++i) to[i] |= from[i];
    }
    return answer;
  };
  f.SetEventCallbacks = [](jvmtiEnv* e, const jvmtiEventCallbacks* callbacks, jint) {
    Of(e).callbacks = *callbacks;
    return Of(e).jvm->AnswerOf("SetEventCallbacks");
  };
  f.SetEventNotificationMode = SetMode;
  f.GenerateEvents = [](jvmtiEnv*, jvmtiEvent) { return JVMTI_ERROR_NONE; };
  f.GetPhase = [](jvmtiEnv*, jvmtiPhase* phase) {
    *phase = JVMTI_PHASE_LIVE;
    return JVMTI_ERROR_NONE;
  };
  f.GetSystemProperty = [](jvmtiEnv* e, const char* name, char** value) {
    const auto& properties = Of(e).jvm->properties;
    const auto found = properties.find(name);
    if (found == properties.end()) return JVMTI_ERROR_NOT_AVAILABLE;
    *value = TextOf(found->second);
    return JVMTI_ERROR_NONE;
  };
  f.RunAgentThread = [](jvmtiEnv* e, jthread, jvmtiStartFunction run, const void* argument, jint) {
    const jvmtiError answer = Of(e).jvm->AnswerOf("RunAgentThread");
    if (answer == JVMTI_ERROR_NONE) Of(e).jvm->RunThread(e, run, const_cast<void*>(argument));
    return answer;
  };
  // Raw monitors. They are never notified.
  f.CreateRawMonitor = [](jvmtiEnv* e, const char*, jrawMonitorID* monitor) {
    const jvmtiError answer = Of(e).jvm->AnswerOf("CreateRawMonitor");
    if (answer == JVMTI_ERROR_NONE) *monitor = reinterpret_cast<jrawMonitorID>(e);
    if (answer == JVMTI_ERROR_NONE) ++Of(e).jvm->raw_monitors;
    return answer;
  };
  f.DestroyRawMonitor = [](jvmtiEnv* e, jrawMonitorID) {
    --Of(e).jvm->raw_monitors;
    return JVMTI_ERROR_NONE;
  };
  f.RawMonitorEnter = [](jvmtiEnv* e, jrawMonitorID) {
    return Of(e).jvm->AnswerOf("RawMonitorEnter");
  };
  f.RawMonitorExit = [](jvmtiEnv*, jrawMonitorID) { return JVMTI_ERROR_NONE; };
  f.RawMonitorWait = [](jvmtiEnv* e, jrawMonitorID, jlong ms) {
    ++Of(e).jvm->raw_monitor_waits;
    std::this_thread::sleep_for(std::chrono::milliseconds(ms));
    return Of(e).jvm->AnswerOf("RawMonitorWait");
  };
  // Classes.
  f.GetLoadedClasses = [](jvmtiEnv* e, jint* count, jclass** classes) {
    if (Of(e).jvm->on_list) Of(e).jvm->on_list();
    const auto all = Of(e).jvm->classes();
    *count = static_cast<jint>(all.size());
    *classes = ListOf<jclass>(all);
    return Of(e).jvm->AnswerOf("GetLoadedClasses");
  };
  f.GetClassLoaderClasses = [](jvmtiEnv* e, jobject loader, jint* count, jclass** classes) {
    auto all = Of(e).jvm->classes();
    // Also classes that the loader was asked for, listed in its field "initiated".
    std::erase_if(all, [&](FakeClass* one) {
      const auto& initiated = From(loader)->elements;
      return one->loader != From(loader) &&
             std::find(initiated.begin(), initiated.end(), one) == initiated.end();
    });
    *count = static_cast<jint>(all.size());
    *classes = ListOf<jclass>(all);
    return JVMTI_ERROR_NONE;
  };
  f.GetClassSignature = [](jvmtiEnv*, jclass type, char** signature, char**) {
    *signature = TextOf(SignatureOf(*ClassFrom(type)));
    return JVMTI_ERROR_NONE;
  };
  f.GetClassLoader = [](jvmtiEnv*, jclass type, jobject* loader) {
    *loader = reinterpret_cast<jobject>(ClassFrom(type)->loader);
    return JVMTI_ERROR_NONE;
  };
  f.GetClassStatus = [](jvmtiEnv*, jclass type, jint* status) {
    *status = ClassFrom(type)->is_prepared ? JVMTI_CLASS_STATUS_PREPARED : 0;
    return JVMTI_ERROR_NONE;
  };
  f.GetClassModifiers = [](jvmtiEnv*, jclass, jint* modifiers) {
    *modifiers = 0;
    return JVMTI_ERROR_NONE;
  };
  f.IsModifiableClass = [](jvmtiEnv*, jclass type, jboolean* answer) {
    *answer = ClassFrom(type)->is_modifiable;
    return JVMTI_ERROR_NONE;
  };
  f.GetClassMethods = [](jvmtiEnv*, jclass type, jint* count, jmethodID** methods) {
    const auto& all = ClassFrom(type)->methods;
    *count = static_cast<jint>(all.size());
    *methods = Allocated<jmethodID>(all.size());
    for (size_t i = 0; i < all.size(); ++i) (*methods)[i] = reinterpret_cast<jmethodID>(all[i]);
    return JVMTI_ERROR_NONE;
  };
  f.GetMethodName = [](jvmtiEnv*, jmethodID method, char** name, char** descriptor, char**) {
    if (name != nullptr) *name = TextOf(MethodFrom(method).name);
    if (descriptor != nullptr) *descriptor = TextOf(MethodFrom(method).descriptor);
    return JVMTI_ERROR_NONE;
  };
  f.GetMethodModifiers = [](jvmtiEnv*, jmethodID, jint* modifiers) {
    *modifiers = 0;
    return JVMTI_ERROR_NONE;
  };
  f.GetMethodDeclaringClass = [](jvmtiEnv*, jmethodID method, jclass* declaring) {
    *declaring = reinterpret_cast<jclass>(static_cast<FakeObject*>(MethodFrom(method).owner));
    return JVMTI_ERROR_NONE;
  };
  f.GetNamedModule = [](jvmtiEnv*, jobject loader, const char*, jobject* module) {
    *module = reinterpret_cast<jobject>(From(loader)->fields["module"]);
    return JVMTI_ERROR_NONE;
  };
  f.RetransformClasses = [](jvmtiEnv* e, jint count, const jclass* classes) {
    FakeJvm& jvm = *Of(e).jvm;
    if (jvm.on_retransform) jvm.on_retransform();
    if (const auto refused = jvm.AnswerOf("RetransformClasses"); refused != JVMTI_ERROR_NONE)
      return refused;
    for (jint i = 0; i < count; ++i) {
      FakeClass& type = *ClassFrom(classes[i]);
      jvm.retransformed.push_back(type.name);
      jvm.CountRedefinition(type);
      if (type.kept.empty()) type.kept = type.bytes;
      type.bytes = jvm.ThroughHooks(&type, type.name, type.loader, type.kept, true);
    }
    return JVMTI_ERROR_NONE;
  };
  // Objects and threads.
  f.GetTag = [](jvmtiEnv* e, jobject object, jlong* tag) {
    const auto found = Of(e).tags.find(From(object));
    *tag = found == Of(e).tags.end() ? 0 : found->second;
    return Of(e).jvm->AnswerOf("GetTag");
  };
  f.SetTag = [](jvmtiEnv* e, jobject object, jlong tag) {
    Of(e).tags[From(object)] = tag;
    return Of(e).jvm->AnswerOf("SetTag");
  };
  f.GetObjectsWithTags = [](jvmtiEnv* e, jint count, const jlong* wanted, jint* found,
                            jobject** objects, jlong** their_tags) {
    const auto& tags = Of(e).tags;
    *found = 0;
    *objects = Allocated<jobject>(tags.size());
    *their_tags = Allocated<jlong>(tags.size());
    for (const auto& [object, tag] : tags) {
      if (std::find(wanted, wanted + count, tag) == wanted + count) continue;
      (*objects)[*found] = reinterpret_cast<jobject>(object);
      (*their_tags)[(*found)++] = tag;
    }
    return Of(e).jvm->AnswerOf("GetObjectsWithTags");
  };
  f.GetObjectMonitorUsage = [](jvmtiEnv*, jobject object, jvmtiMonitorUsage* usage) {
    *usage = {};
    usage->owner = reinterpret_cast<jthread>(From(object)->fields["owner"]);
    return JVMTI_ERROR_NONE;
  };
  f.GetCurrentThread = [](jvmtiEnv* e, jthread* thread) {
    *thread = reinterpret_cast<jthread>(Of(e).jvm->current_thread);
    return JVMTI_ERROR_NONE;
  };
  f.GetAllStackTraces = [](jvmtiEnv*, jint, jvmtiStackInfo** stacks, jint* threads) {
    *threads = 0;
    *stacks = Allocated<jvmtiStackInfo>(0);
    return JVMTI_ERROR_NONE;
  };
  f.GetStackTrace = [](jvmtiEnv* e, jthread, jint, jint most, jvmtiFrameInfo* frames, jint* count) {
    *count = 0;
    for (const Frame& frame : Of(e).jvm->stack) {
      if (*count == most) break;
      frames[(*count)++] = {reinterpret_cast<jmethodID>(frame.method), frame.at};
    }
    return Of(e).jvm->AnswerOf("GetStackTrace");
  };
  f.GetThreadInfo = [](jvmtiEnv* e, jthread, jvmtiThreadInfo* info) {
    *info = {};
    info->name = TextOf(Of(e).jvm->thread_name);
    return JVMTI_ERROR_NONE;
  };
  f.GetMethodLocation = [](jvmtiEnv* e, jmethodID method, jlocation* start, jlocation* end) {
    for (const Frame& frame : Of(e).jvm->stack) {
      if (frame.method != &MethodFrom(method)) continue;
      *start = 0;
      *end = frame.length - 1;
      return JVMTI_ERROR_NONE;
    }
    return JVMTI_ERROR_INVALID_METHODID;
  };
  f.GetLineNumberTable = [](jvmtiEnv* e, jmethodID method, jint* count,
                            jvmtiLineNumberEntry** entries) {
    std::vector<jvmtiLineNumberEntry> all;
    for (const Frame& frame : Of(e).jvm->stack)
      if (frame.method == &MethodFrom(method) && frame.line != 0)
        all.push_back({frame.at, frame.line});
    *count = static_cast<jint>(all.size());
    *entries = Allocated<jvmtiLineNumberEntry>(all.size());
    std::copy(all.begin(), all.end(), *entries);
    return all.empty() ? JVMTI_ERROR_ABSENT_INFORMATION : JVMTI_ERROR_NONE;
  };
  f.SetHeapSamplingInterval = [](jvmtiEnv* e, jint bytes) {
    Of(e).jvm->heap_sampling_interval = bytes;
    return JVMTI_ERROR_NONE;
  };
  f.RelinquishCapabilities = [](jvmtiEnv* e, const jvmtiCapabilities* given_back) {
    auto* const from = reinterpret_cast<unsigned char*>(&Of(e).capabilities);
    const auto* const what = reinterpret_cast<const unsigned char*>(given_back);
    for (size_t i = 0; i < sizeof *given_back; ++i)
      from[i] = static_cast<unsigned char>(from[i] & ~what[i]);
    return JVMTI_ERROR_NONE;
  };
}

}  // namespace iprof::vm
