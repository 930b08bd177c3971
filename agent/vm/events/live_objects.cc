#include "agent/vm/events/live_objects.h"

#include <algorithm>
#include <chrono>
#include <unordered_set>

namespace iprof::vm {
namespace {

// A reference in HotSpot's own table.
constexpr size_t kHandleBytes = 16;

int64_t NowMs() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

}  // namespace

bool LiveObjects::Toss() {
  random_ ^= random_ << 13;
  random_ ^= random_ >> 7;
  random_ ^= random_ << 17;
  return (random_ >> 32) % 2 == 0;
}

// Of `scale_` objects, one.
bool LiveObjects::Admits() {
  for (uint32_t scale = scale_; scale > 1; scale /= 2)
    if (Toss()) return false;
  return true;
}

// Returns false if too many references wait to be deleted.
bool LiveObjects::Thin() {
  if (doomed_.size() + tracked_.size() > 2 * most_) return false;
  std::vector<Tracked> kept;
  kept.reserve(tracked_.size());
  for (const Tracked& one : tracked_) {
    if (Toss()) {
      doomed_.push_back(one.object);
    } else {
      kept.push_back({one.object, one.row, one.collections, 2 * one.bytes, 2 * one.objects});
    }
  }
  tracked_ = std::move(kept);
  scale_ *= 2;
  return true;
}

void LiveObjects::ReportBytes() {
  bytes_.store(tracked_.capacity() * sizeof(Tracked) + doomed_.capacity() * sizeof(jweak) +
                   (tracked_.size() + doomed_.size()) * kHandleBytes,
               std::memory_order_relaxed);
}

bool LiveObjects::Add(JNIEnv* jni, jobject object, uint32_t row, double bytes, double objects) {
  double scale = 1;
  {
    const std::lock_guard lock(mutex_);
    if (!Admits()) return false;
    scale = scale_;
    if (tracked_.size() >= most_ && !Thin()) {
      untracked_.fetch_add(1, std::memory_order_relaxed);
      return true;
    }
  }
  const uint32_t collections = collections_.load(std::memory_order_relaxed);
  jweak weak = jni->NewWeakGlobalRef(object);
  if (weak == nullptr) {
    untracked_.fetch_add(1, std::memory_order_relaxed);
    return true;
  }
  const std::lock_guard lock(mutex_);
  tracked_.push_back({weak, row, collections, static_cast<float>(bytes * scale),
                      static_cast<float>(objects * scale)});
  ReportBytes();
  return tracked_.size() > most_ / 4 * 3 || doomed_.size() > most_ / 2;
}

bool LiveObjects::NeedsSweep() const {
  const std::lock_guard lock(mutex_);
  return collections_.load(std::memory_order_relaxed) != swept_collections_ || !doomed_.empty();
}

void LiveObjects::Sweep(JNIEnv* jni) {
  const std::unique_lock sweeping(sweep_mutex_, std::try_to_lock);
  if (!sweeping) return;
  const uint32_t collections = collections_.load(std::memory_order_relaxed);
  std::vector<jweak> asked;
  {
    const std::lock_guard lock(mutex_);
    asked.reserve(tracked_.size());
    for (const Tracked& one : tracked_) asked.push_back(one.object);
  }
  std::erase_if(asked, [&](jweak weak) { return jni->IsSameObject(weak, nullptr) == JNI_FALSE; });
  std::unordered_set<jweak> gone(asked.begin(), asked.end());
  std::vector<jweak> deleted;
  {
    const std::lock_guard lock(mutex_);
    deleted = std::move(doomed_);
    doomed_.clear();
    std::erase_if(tracked_, [&](const Tracked& one) {
      const bool is_gone = gone.contains(one.object);
      if (is_gone) deleted.push_back(one.object);
      return is_gone;
    });
    if (tracked_.size() < most_ / 4 && scale_ > 1) scale_ /= 2;
    swept_collections_ = collections;
    if (collections >= pauses_) swept_ms_.store(NowMs());
    ReportBytes();
  }
  for (jweak weak : deleted) jni->DeleteWeakGlobalRef(weak);
}

std::vector<LiveObjects::Share> LiveObjects::ByRow(size_t rows) const {
  std::vector<Share> shares(rows);
  const std::lock_guard lock(mutex_);
  for (const Tracked& one : tracked_) {
    if (one.row >= rows || swept_collections_ - one.collections < pauses_ ||
        swept_collections_ < one.collections)
      continue;
    Share& share = shares[one.row];
    share.bytes += static_cast<double>(one.bytes);
    share.objects += static_cast<double>(one.objects);
    ++share.samples;
  }
  return shares;
}

void LiveObjects::Forget() {
  const std::lock_guard lock(mutex_);
  for (const Tracked& one : tracked_) doomed_.push_back(one.object);
  tracked_.clear();
  scale_ = 1;
  ReportBytes();
}

}  // namespace iprof::vm
