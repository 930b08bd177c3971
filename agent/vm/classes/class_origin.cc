#include "agent/vm/classes/class_origin.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <iterator>
#include <utility>

#include "agent/instrument/table/original_class_reader.h"
#include "agent/vm/classes/other_agents.h"
#include "agent/vm/jvmti/boot_class.h"
#include "agent/vm/jvmti/boundary.h"

namespace iprof::vm {
namespace {

constexpr auto kThreadPeriod = std::chrono::milliseconds(1000);
constexpr jint kReferences = 16;  // local references that a lookup creates, at most

bool Threw(JNIEnv* jni) {
  if (!jni->ExceptionCheck()) return false;
  jni->ExceptionClear();
  return true;
}

}  // namespace

ClassOrigin::ClassOrigin(Log& log, bool certain)
    : log_(log),
      suspects_(certain),
      thread_(
          [this](jvmtiEnv*, JNIEnv* jni) {
            AtBoundary(log_, "the look-up of class files", [&] { Work(jni); });
          },
          kThreadPeriod) {}

std::string ClassOrigin::KeyOf(std::string_view name, const Hash128& hash) {
  std::string key(name);
  key.append(reinterpret_cast<const char*>(&hash.low), sizeof hash.low);
  return key.append(reinterpret_cast<const char*>(&hash.high), sizeof hash.high);
}

Status ClassOrigin::LearnMethods(JNIEnv* jni) {
  const auto failed = [&](bool missing) { return Threw(jni) || missing; };
  const Status cannot(Code::kInternal, "class files cannot be looked up in this JVM");
  jclass loader = BootClass(jni, "java/lang/ClassLoader");
  if (failed(loader == nullptr)) return cannot;
  jclass stream = BootClass(jni, "java/io/InputStream");
  if (failed(stream == nullptr)) return cannot;
  resource_ =
      jni->GetMethodID(loader, "getResourceAsStream", "(Ljava/lang/String;)Ljava/io/InputStream;");
  if (failed(resource_ == nullptr)) return cannot;
  system_resource_ = jni->GetStaticMethodID(loader, "getSystemResourceAsStream",
                                            "(Ljava/lang/String;)Ljava/io/InputStream;");
  if (failed(system_resource_ == nullptr)) return cannot;
  read_all_ = jni->GetMethodID(stream, "readAllBytes", "()[B");
  if (failed(read_all_ == nullptr)) return cannot;
  close_ = jni->GetMethodID(stream, "close", "()V");
  if (failed(close_ == nullptr)) return cannot;
  for (const auto& [name, kept] : {std::pair("getPlatformClassLoader", &platform_loader_),
                                   std::pair("getSystemClassLoader", &application_loader_)}) {
    jmethodID get = jni->GetStaticMethodID(loader, name, "()Ljava/lang/ClassLoader;");
    if (failed(get == nullptr)) return cannot;
    jobject found = jni->CallStaticObjectMethod(loader, get);
    if (failed(found == nullptr)) return cannot;
    *kept = jni->NewGlobalRef(found);
    jni->DeleteLocalRef(found);
  }
  loader_class_ = static_cast<jclass>(jni->NewGlobalRef(loader));
  jni->DeleteLocalRef(loader);
  jni->DeleteLocalRef(stream);
  return loader_class_ == nullptr ? cannot : Status();
}

Status ClassOrigin::Start(jvmtiEnv* jvmti, JNIEnv* jni) {
  const Status status = loader_class_ != nullptr ? Status() : LearnMethods(jni);
  return status.ok() ? thread_.Start(jvmti, jni) : status;
}

void ClassOrigin::Note(JNIEnv* jni, jobject loader, std::string_view name,
                       std::span<const uint8_t> bytes) {
  if (name.empty()) return;  // no file can be looked up without a name
  const Hash128 hash = Murmur3(bytes);
  Waiting waiting{std::string(name), hash, loader == nullptr ? Loader::kBoot : Loader::kUnsorted,
                  nullptr};
  {
    std::lock_guard lock(mutex_);
    const auto [verdict, added] = verdicts_.try_emplace(KeyOf(name, hash));
    // Ask again if the first loader gave no answer: another loader may know.
    if (!added && verdict->second.state != State::kUnknown) return;
    verdict->second.state = State::kWaiting;
  }
  if (loader != nullptr) waiting.reference = jni->NewWeakGlobalRef(loader);
  {
    std::lock_guard lock(mutex_);
    queue_.push_back(std::move(waiting));
  }
  if (loader != nullptr) thread_.Wake();
}

// Whether another agent may have changed the classes recorded so far.
bool ClassOrigin::Suspects() {
  if (suspects_) return true;
  if (!HasJavaAgents()) return false;
  suspects_ = true;
  log_.Warning(
      "another agent was attached and may change classes first: positions are checked against the "
      "class files");
  return true;
}

void ClassOrigin::Forget(JNIEnv* jni, std::vector<Waiting>& all) {
  for (Waiting& waiting : all) {
    if (waiting.reference != nullptr) jni->DeleteWeakGlobalRef(waiting.reference);
    std::lock_guard lock(mutex_);
    verdicts_.erase(KeyOf(waiting.name, waiting.hash));
  }
}

void ClassOrigin::Work(JNIEnv* jni) {
  for (;;) {
    std::vector<Waiting> taken;
    bool settle = false;
    {
      std::lock_guard lock(mutex_);
      taken.swap(queue_);
      settle = settling_;
      if (settle) {
        std::move(deferred_.begin(), deferred_.end(), std::back_inserter(taken));
        deferred_.clear();
      }
      if (taken.empty()) {
        settling_ = false;
        settled_.notify_all();
        return;
      }
    }
    if (!Suspects()) {
      Forget(jni, taken);
      continue;
    }
    for (size_t done = 0; done < taken.size(); ++done) {
      if (!thread_.IsRunning()) return PutBack(taken, done);
      LookUp(jni, taken[done], settle);
    }
  }
}

// The rest waits for a Resume.
void ClassOrigin::PutBack(std::vector<Waiting>& taken, size_t done) {
  const auto rest = taken.begin() + static_cast<std::ptrdiff_t>(done);
  const std::lock_guard lock(mutex_);
  queue_.insert(queue_.begin(), std::make_move_iterator(rest),
                std::make_move_iterator(taken.end()));
}

void ClassOrigin::LookUp(JNIEnv* jni, Waiting& waiting, bool settle) {
  if (jni->PushLocalFrame(kReferences) != JNI_OK) {
    Threw(jni);
    return;  // stays waiting, so it is not trusted
  }
  Found found{State::kUnknown, {}};
  bool look_up = true;
  jobject loader = waiting.reference == nullptr ? nullptr : jni->NewLocalRef(waiting.reference);
  if (waiting.loader == Loader::kUnsorted) {
    if (waiting.reference != nullptr) jni->DeleteWeakGlobalRef(waiting.reference);
    waiting.reference = nullptr;
    look_up = loader != nullptr;  // null: the loader is gone
    if (look_up && jni->IsSameObject(loader, platform_loader_)) waiting.loader = Loader::kPlatform;
    if (look_up && jni->IsSameObject(loader, application_loader_))
      waiting.loader = Loader::kApplication;
  } else if (waiting.loader != Loader::kBoot) {
    loader = waiting.loader == Loader::kPlatform ? platform_loader_ : application_loader_;
  }
  if (waiting.loader != Loader::kUnsorted && !settle) {
    jni->PopLocalFrame(nullptr);
    std::lock_guard lock(mutex_);
    deferred_.push_back(std::move(waiting));
    return;
  }
  if (look_up) found = Read(jni, loader, waiting);
  jni->PopLocalFrame(nullptr);
  OriginalClass original =
      found.state == State::kDiffers ? instrument::ReadOriginalClass(found.bytes) : OriginalClass();
  std::lock_guard lock(mutex_);
  const auto verdict = verdicts_.find(KeyOf(waiting.name, waiting.hash));
  if (verdict == verdicts_.end()) return;  // dropped while it waited
  verdict->second.state = found.state;
  verdict->second.original = std::move(original);
}

void ClassOrigin::Drop(std::string_view name, const Hash128& hash) {
  std::lock_guard lock(mutex_);
  verdicts_.erase(KeyOf(name, hash));
}

ClassOrigin::Found ClassOrigin::Read(JNIEnv* jni, jobject loader, const Waiting& waiting) {
  const Found unknown{State::kUnknown, {}};
  jstring name = jni->NewStringUTF((waiting.name + ".class").c_str());
  if (Threw(jni) || name == nullptr) return unknown;
  jobject stream = loader == nullptr
                       ? jni->CallStaticObjectMethod(loader_class_, system_resource_, name)
                       : jni->CallObjectMethod(loader, resource_, name);
  if (Threw(jni)) return unknown;
  if (stream == nullptr) return {State::kNoFile, {}};
  auto array = static_cast<jbyteArray>(jni->CallObjectMethod(stream, read_all_));
  const bool read = !Threw(jni) && array != nullptr;
  jni->CallVoidMethod(stream, close_);
  Threw(jni);  // ignore an exception of close()
  if (!read) return unknown;
  std::vector<uint8_t> bytes(static_cast<size_t>(jni->GetArrayLength(array)));
  jni->GetByteArrayRegion(array, 0, static_cast<jsize>(bytes.size()),
                          reinterpret_cast<jbyte*>(bytes.data()));
  if (Threw(jni)) return unknown;
  if (Murmur3(bytes) == waiting.hash) return {State::kSame, {}};
  return {State::kDiffers, std::move(bytes)};
}

void ClassOrigin::Settle(std::chrono::milliseconds timeout) {
  if (!thread_.IsRunning()) return;
  std::unique_lock lock(mutex_);
  settling_ = true;
  lock.unlock();
  thread_.Wake();
  lock.lock();
  settled_.wait_for(lock, timeout, [this] { return !settling_ || !thread_.IsRunning(); });
  if (!thread_.IsRunning()) settling_ = false;
}

bool ClassOrigin::Stop(std::chrono::milliseconds timeout) {
  // From here on IsRunning is false, so no Settle begins to wait.
  static_cast<void>(thread_.Stop(std::chrono::milliseconds(0)));
  {
    const std::lock_guard lock(mutex_);
    settled_.notify_all();
  }
  return thread_.Stop(timeout);
}

bool ClassOrigin::MayChange(const ClassRecord& klass) const {
  std::lock_guard lock(mutex_);
  const auto found = verdicts_.find(KeyOf(klass.name, klass.hash));
  return found != verdicts_.end() && found->second.state == State::kWaiting && suspects_;
}

MethodOrigin ClassOrigin::Judge(const ClassRecord& klass, const CountedMethod& method) const {
  std::lock_guard lock(mutex_);
  const auto found = verdicts_.find(KeyOf(klass.name, klass.hash));
  if (found == verdicts_.end()) return MethodOrigin::kSame;  // no agent could have changed it
  switch (found->second.state) {
    case State::kSame:
      return MethodOrigin::kSame;
    case State::kDiffers:
      return found->second.original.Judge(method);
    case State::kWaiting:
      return suspects_ ? MethodOrigin::kChanged : MethodOrigin::kSame;
    case State::kNoFile:
    case State::kUnknown:
      break;
  }
  return MethodOrigin::kChanged;
}

std::string ClassOrigin::Report() const {
  std::array<uint64_t, 5> counts{};
  std::lock_guard lock(mutex_);
  if (!suspects_) return "";
  for (const auto& [key, verdict] : verdicts_) ++counts[static_cast<size_t>(verdict.state)];
  const auto of = [&](State state) { return counts[static_cast<size_t>(state)]; };
  return fmt::format(
      "classes compared with their class files: {} equal, {} different, {} without a class file, "
      "{} not comparable\n",
      of(State::kSame), of(State::kDiffers), of(State::kNoFile),
      of(State::kUnknown) + of(State::kWaiting));
}

}  // namespace iprof::vm
