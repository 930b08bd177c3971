#include "agent/vm/counter_chunks.h"

#include <fmt/format.h>

#include <string>

#include "agent/vm/runtime_image.h"

namespace iprof::vm {
namespace {

// Ends a failed JNI step: nothing stays pending, the sentence says what was being done.
Status Failed(JNIEnv* jni, std::string_view what) {
  if (jni->ExceptionCheck()) jni->ExceptionClear();
  return {Code::kLimit, fmt::format("the JVM refused to {}", what)};
}

Result<jclass> Define(JNIEnv* jni, const std::string& name, std::span<const uint8_t> bytes) {
  jclass local =
      jni->DefineClass(name.c_str(), nullptr, reinterpret_cast<const jbyte*>(bytes.data()),
                       static_cast<jsize>(bytes.size()));
  if (local == nullptr) return Failed(jni, fmt::format("define {}", name));
  auto global = static_cast<jclass>(jni->NewGlobalRef(local));
  jni->DeleteLocalRef(local);
  if (global == nullptr) return Failed(jni, fmt::format("keep a reference to {}", name));
  return global;
}

}  // namespace

Status CounterChunks::DefineHolder(JNIEnv* jni, uint32_t chunk) {
  auto holder = Define(jni, ChunkClassName(chunk, stripes_), ChunkClassBytes(chunk, stripes_));
  if (!holder.ok()) return holder.status();
  holders_.push_back(*holder);
  return {};
}

// Allocates the arrays of the next holder and leaves them where its initialiser takes them.
Status CounterChunks::HandOver(JNIEnv* jni) {
  constexpr auto kLength = static_cast<jsize>(instrument::kChunkCounters);
  jobject next = nullptr;
  if (stripes_ == 1) {
    next = jni->NewLongArray(kLength);
  } else {
    jclass row_class = jni->FindClass("[J");
    auto rows = row_class == nullptr
                    ? nullptr
                    : jni->NewObjectArray(static_cast<jsize>(stripes_), row_class, nullptr);
    for (uint32_t s = 0; rows != nullptr && s < stripes_; ++s) {
      jlongArray row = jni->NewLongArray(kLength);
      if (row == nullptr) return Failed(jni, "allocate a chunk of counters");
      jni->SetObjectArrayElement(rows, static_cast<jsize>(s), row);
      jni->DeleteLocalRef(row);
    }
    if (row_class != nullptr) jni->DeleteLocalRef(row_class);
    next = rows;
  }
  if (next == nullptr) return Failed(jni, "allocate a chunk of counters");
  jfieldID field = stripes_ == 1 ? jni->GetStaticFieldID(runtime_, "nextCounters", "[J")
                                 : jni->GetStaticFieldID(runtime_, "nextRows", "[[J");
  if (field == nullptr) return Failed(jni, "hand over a chunk of counters");
  jni->SetStaticObjectField(runtime_, field, next);
  jni->DeleteLocalRef(next);
  return {};
}

Status CounterChunks::InitialiseHolder(JNIEnv* jni, jclass holder) {
  // Asking for a static field runs the class's initialiser.
  const bool striped = stripes_ > 1;
  jfieldID field = striped ? jni->GetStaticFieldID(holder, "rows", "[[J")
                           : jni->GetStaticFieldID(holder, "c", "[J");
  if (field == nullptr) return Failed(jni, "initialise a chunk of counters");
  jobject object = jni->GetStaticObjectField(holder, field);
  if (object == nullptr) return Failed(jni, "read a chunk of counters");

  std::vector<jlongArray> rows;
  for (uint32_t s = 0; s < stripes_; ++s) {
    jobject row = striped ? jni->GetObjectArrayElement(static_cast<jobjectArray>(object),
                                                       static_cast<jsize>(s))
                          : object;
    auto global = row == nullptr ? nullptr : static_cast<jlongArray>(jni->NewGlobalRef(row));
    if (striped && row != nullptr) jni->DeleteLocalRef(row);
    if (global == nullptr) return Failed(jni, "keep a reference to a chunk of counters");
    rows.push_back(global);
  }
  jni->DeleteLocalRef(object);
  std::lock_guard lock(mutex_);
  rows_.push_back(std::move(rows));
  return {};
}

Status CounterChunks::DefineEarly(JNIEnv* jni, uint32_t chunks) {
  auto runtime = Define(jni, std::string(kRuntimeClassName), RuntimeClassBytes());
  if (!runtime.ok()) return runtime.status();
  runtime_ = *runtime;
  for (uint32_t chunk = 0; chunk < chunks; ++chunk) {
    if (Status status = DefineHolder(jni, chunk); !status.ok()) return status;
  }
  space_.SetReady(chunks);
  return {};
}

Status CounterChunks::InitialiseDefined(JNIEnv* jni) {
  for (jclass holder : holders_) {
    if (Status status = InitialiseHolder(jni, holder); !status.ok()) return status;
  }
  if (stripes_ > 1) {
    jfieldID mask = jni->GetStaticFieldID(runtime_, "stripeMask", "I");
    if (mask == nullptr) return Failed(jni, "turn striping on");
    jni->SetStaticIntField(runtime_, mask, static_cast<jint>(stripes_ - 1));
  }
  return {};
}

Status CounterChunks::DefineAhead(JNIEnv* jni) {
  for (;;) {
    size_t initialised;
    {
      std::lock_guard lock(mutex_);
      initialised = rows_.size();
    }
    if (initialised >= space_.Wanted()) return {};
    Status status;
    if (initialised == holders_.size())
      status = DefineHolder(jni, static_cast<uint32_t>(initialised));
    if (status.ok()) status = HandOver(jni);
    if (status.ok()) status = InitialiseHolder(jni, holders_[initialised]);
    if (!status.ok()) {
      failures_.fetch_add(1, std::memory_order_relaxed);
      return status;
    }
    space_.SetReady(static_cast<uint32_t>(initialised + 1));
  }
}

std::vector<uint64_t> CounterChunks::Read(JNIEnv* jni) const {
  std::vector<std::vector<jlongArray>> rows;
  {
    std::lock_guard lock(mutex_);
    rows = rows_;
  }
  std::vector<uint64_t> sums(rows.size() * instrument::kChunkCounters);
  std::vector<jlong> buffer(instrument::kChunkCounters);
  for (size_t chunk = 0; chunk < rows.size(); ++chunk) {
    for (jlongArray row : rows[chunk]) {
      jni->GetLongArrayRegion(row, 0, static_cast<jsize>(buffer.size()), buffer.data());
      uint64_t* sum = &sums[chunk * instrument::kChunkCounters];
      for (size_t i = 0; i < buffer.size(); ++i) sum[i] += static_cast<uint64_t>(buffer[i]);
    }
  }
  return sums;
}

}  // namespace iprof::vm
