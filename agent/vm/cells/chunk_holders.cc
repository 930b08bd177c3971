#include "agent/vm/cells/chunk_holders.h"

#include <fmt/core.h>

#include <algorithm>

#include "agent/vm/jvmti/boot_class.h"

namespace iprof::vm {

Status JniFailed(JNIEnv* jni, std::string_view what) {
  if (jni->ExceptionCheck()) jni->ExceptionClear();
  return {Code::kLimit, fmt::format("the JVM refused to {}", what)};
}

Result<jclass> DefineBootClass(JNIEnv* jni, std::string_view name, std::span<const uint8_t> bytes) {
  const std::string text(name);
  jclass local =
      jni->DefineClass(text.c_str(), nullptr, reinterpret_cast<const jbyte*>(bytes.data()),
                       static_cast<jsize>(bytes.size()));
  if (local == nullptr) {
    if (jni->ExceptionCheck()) jni->ExceptionClear();
    jclass earlier = BootClass(jni, text.c_str());
    if (earlier == nullptr) return JniFailed(jni, fmt::format("define {}", name));
    jni->DeleteLocalRef(earlier);
    return Status(Code::kUsage,
                  "an earlier start of the agent failed and left its classes in this JVM: counting "
                  "needs a JVM that is started again");
  }
  auto global = static_cast<jclass>(jni->NewGlobalRef(local));
  jni->DeleteLocalRef(local);
  if (global == nullptr) return JniFailed(jni, fmt::format("keep a reference to {}", name));
  return global;
}

Status SetStaticObject(JNIEnv* jni, jclass owner, const char* field, const char* descriptor,
                       jobject value) {
  jfieldID id = jni->GetStaticFieldID(owner, field, descriptor);
  if (id == nullptr) return JniFailed(jni, fmt::format("find the field {}", field));
  jni->SetStaticObjectField(owner, id, value);
  jni->DeleteLocalRef(value);
  return {};
}

Result<jobject> KeepStaticObject(JNIEnv* jni, jclass owner, const char* field,
                                 const char* descriptor) {
  jfieldID id = jni->GetStaticFieldID(owner, field, descriptor);
  if (id == nullptr) return JniFailed(jni, "initialise a chunk");
  jobject local = jni->GetStaticObjectField(owner, id);
  jobject global = local == nullptr ? nullptr : jni->NewGlobalRef(local);
  if (local != nullptr) jni->DeleteLocalRef(local);
  if (global == nullptr) return JniFailed(jni, "keep a reference to a chunk");
  return global;
}

Status ChunkHolders::DefineEarly(JNIEnv* jni, uint32_t chunks) {
  if (runtime_ == nullptr) {
    auto runtime = DefineBootClass(jni, RuntimeName(), RuntimeBytes());
    if (!runtime.ok()) return runtime.status();
    runtime_ = *runtime;
  }
  while (holders_.size() < chunks) {
    const auto chunk = static_cast<uint32_t>(holders_.size());
    auto holder = DefineBootClass(jni, HolderName(chunk), HolderBytes(chunk));
    if (!holder.ok()) return holder.status();
    holders_.push_back(*holder);
  }
  space_.SetReady(std::max(chunks, space_.statistics().ready));
  return {};
}

Status ChunkHolders::InitialiseDefined(JNIEnv* jni) {
  for (; adopted_ < holders_.size(); ++adopted_) {
    if (Status status = Adopt(jni, holders_[adopted_]); !status.ok()) return status;
  }
  return {};
}

Status ChunkHolders::DefineAhead(JNIEnv* jni) {
  while (adopted_ < space_.Wanted()) {
    const auto chunk = static_cast<uint32_t>(adopted_);
    Status status;
    if (adopted_ == holders_.size()) {
      auto holder = DefineBootClass(jni, HolderName(chunk), HolderBytes(chunk));
      status = holder.status();
      if (holder.ok()) holders_.push_back(*holder);
    }
    if (status.ok()) status = HandOver(jni);
    if (status.ok()) status = Adopt(jni, holders_[adopted_]);
    if (!status.ok()) {
      failures_.fetch_add(1, std::memory_order_relaxed);
      return status;
    }
    ++adopted_;
    space_.SetReady(chunk + 1);
  }
  return {};
}

}  // namespace iprof::vm
