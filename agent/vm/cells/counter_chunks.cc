#include "agent/vm/cells/counter_chunks.h"

#include <algorithm>
#include <chrono>

#include "agent/vm/cells/runtime_image.h"
#include "agent/vm/jvmti/boot_class.h"

namespace iprof::vm {
namespace {

// Copying a chunk takes 20 to 60 microseconds; a thread that lost its processor gets it back after
// milliseconds.
constexpr auto kQuickCopy = std::chrono::microseconds(200);
constexpr int kAttempts = 4;

}  // namespace

std::string CounterChunks::HolderName(uint32_t chunk) const {
  return CounterHolderName(chunk, stripes_);
}
std::string_view CounterChunks::RuntimeName() const { return kRuntimeClassName; }
std::vector<uint8_t> CounterChunks::RuntimeBytes() const {
  const std::span<const uint8_t> bytes = RuntimeClassBytes();
  return {bytes.begin(), bytes.end()};
}
std::vector<uint8_t> CounterChunks::HolderBytes(uint32_t chunk) const {
  return CounterHolderBytes(chunk, stripes_);
}

Status CounterChunks::HandOver(JNIEnv* jni) {
  constexpr auto kLength = static_cast<jsize>(instrument::kChunkCounters);
  if (stripes_ == 1) {
    jlongArray next = jni->NewLongArray(kLength);
    if (next == nullptr) return JniFailed(jni, "allocate a chunk of counters");
    return SetStaticObject(jni, runtime(), "nextCounters", "[J", next);
  }
  jclass row_class = BootClass(jni, "[J");
  jobjectArray rows = row_class == nullptr
                          ? nullptr
                          : jni->NewObjectArray(static_cast<jsize>(stripes_), row_class, nullptr);
  if (row_class != nullptr) jni->DeleteLocalRef(row_class);
  if (rows == nullptr) return JniFailed(jni, "allocate a chunk of counters");
  for (uint32_t s = 0; s < stripes_; ++s) {
    jlongArray row = jni->NewLongArray(kLength);
    if (row == nullptr) {
      jni->DeleteLocalRef(rows);
      return JniFailed(jni, "allocate a chunk of counters");
    }
    jni->SetObjectArrayElement(rows, static_cast<jsize>(s), row);
    jni->DeleteLocalRef(row);
  }
  return SetStaticObject(jni, runtime(), "nextRows", "[[J", rows);
}

Status CounterChunks::Adopt(JNIEnv* jni, jclass holder) {
  std::vector<jlongArray> rows;
  const auto chunk = static_cast<uint32_t>(rows_.size());  // only this thread adds rows
  if (stripes_ == 1) {
    const Result<jobject> row = KeepStaticObject(jni, holder, "c", "[J");
    if (!row.ok()) return row.status();
    rows.push_back(static_cast<jlongArray>(*row));
    if (Status status = reach_.AddCounters(jni, chunk, *row); !status.ok()) return status;
  } else {
    const Result<jobject> all = KeepStaticObject(jni, holder, "rows", "[[J");
    if (!all.ok()) return all.status();
    if (Status status = reach_.AddCounters(jni, chunk, *all); !status.ok()) return status;
    for (uint32_t s = 0; s < stripes_; ++s) {
      jobject row =
          jni->GetObjectArrayElement(static_cast<jobjectArray>(*all), static_cast<jsize>(s));
      jobject global = row == nullptr ? nullptr : jni->NewGlobalRef(row);
      if (row != nullptr) jni->DeleteLocalRef(row);
      if (global == nullptr) return JniFailed(jni, "keep a reference to a chunk of counters");
      rows.push_back(static_cast<jlongArray>(global));
    }
  }
  std::lock_guard lock(mutex_);
  rows_.push_back(std::move(rows));
  return {};
}

Status CounterChunks::StartStriping(JNIEnv* jni) {
  if (stripes_ == 1) return {};
  jfieldID mask = jni->GetStaticFieldID(runtime(), "stripeMask", "I");
  if (mask == nullptr) return JniFailed(jni, "turn striping on");
  jni->SetStaticIntField(runtime(), mask, static_cast<jint>(stripes_ - 1));
  return {};
}

void CounterChunks::Read(JNIEnv* jni, std::vector<uint64_t>* sums) const {
  std::vector<std::vector<jlongArray>> rows;
  {
    std::lock_guard lock(mutex_);
    rows = rows_;
  }
  sums->resize(rows.size() * instrument::kChunkCounters);
  // By stripe, one after the other.
  std::vector<jlong> buffer(size_t{stripes_} * instrument::kChunkCounters);
  for (size_t chunk = 0; chunk < rows.size(); ++chunk) {
    // A thread that loses its processor in between has the chunk in two states, so it tries again.
    for (int attempt = 0; attempt < kAttempts; ++attempt) {
      const auto begun = std::chrono::steady_clock::now();
      for (size_t stripe = 0; stripe < rows[chunk].size(); ++stripe) {
        jni->GetLongArrayRegion(rows[chunk][stripe], 0,
                                static_cast<jsize>(instrument::kChunkCounters),
                                &buffer[stripe * instrument::kChunkCounters]);
      }
      if (std::chrono::steady_clock::now() - begun < kQuickCopy * stripes_) break;
    }
    uint64_t* const sum = &(*sums)[chunk * instrument::kChunkCounters];
    for (size_t i = 0; i < instrument::kChunkCounters; ++i)
      sum[i] = static_cast<uint64_t>(buffer[i]);
    for (size_t i = instrument::kChunkCounters; i < buffer.size(); ++i)
      sum[i % instrument::kChunkCounters] += static_cast<uint64_t>(buffer[i]);
  }
}

void CounterChunks::Take(JNIEnv* jni, CounterRange range, std::vector<uint64_t>* values) {
  std::vector<jlong> buffer;
  uint32_t first = static_cast<uint32_t>(range.first);
  const uint32_t end = first + range.count;
  while (first < end) {
    const uint32_t chunk = first / instrument::kChunkCounters;
    const uint32_t stop = std::min(end, (chunk + 1) * instrument::kChunkCounters);
    std::vector<jlongArray> stripes;
    {
      std::lock_guard lock(mutex_);
      if (chunk < rows_.size()) stripes = rows_[chunk];
    }
    const size_t at = values->size();
    const auto count = static_cast<jsize>(stop - first);
    const auto index = static_cast<jsize>(first % instrument::kChunkCounters);
    values->resize(at + (stop - first));
    buffer.resize(stop - first);
    for (jlongArray stripe : stripes) {
      jni->GetLongArrayRegion(stripe, index, count, buffer.data());
      for (size_t i = 0; i < buffer.size(); ++i) {
        (*values)[at + i] += static_cast<uint64_t>(buffer[i]);
        buffer[i] = 0;
      }
      jni->SetLongArrayRegion(stripe, index, count, buffer.data());
    }
    first = stop;
  }
}

}  // namespace iprof::vm
