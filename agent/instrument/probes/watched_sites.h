// WatchedSites: at which of the chosen sites the running code has probes that take stacks (contexts=all), and what is there.
//
// Classes may have run with other probes before. Then a method has two versions of running code, and the positions of
// the second one are kept here (class_instrumenter.h: OriginalBcis).
//
// Guarantees: a site's code is noted before a class with its probe can run, and stays as it is.
// Threads: any. Failure: none but std::bad_alloc.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "agent/instrument/probes/watched_code.h"
#include "agent/plan/weights/context_sites.h"
#include "writer/names/typed_names.h"

namespace iprof::instrument {

class WatchedSites {
 public:
  // `chosen` must outlive this object.
  explicit WatchedSites(const ContextSites& chosen)
      : chosen_(chosen), by_site_(chosen.sites().size()) {}

  const ContextSites& chosen() const { return chosen_; }
  void Note(uint32_t site, WatchedCode code) {
    const std::lock_guard lock(mutex_);
    if (by_site_[site].load(std::memory_order_relaxed) != nullptr) return;
    by_site_[site].store(&codes_.emplace_back(std::move(code)), std::memory_order_release);
  }
  // Null: no code has a probe for it.
  const WatchedCode* Find(uint32_t site) const {
    return site < by_site_.size() ? by_site_[site].load(std::memory_order_acquire) : nullptr;
  }

  // The map of a method's code with these probes (position_map.h), where its class was instrumented before.
  void NotePositions(const MethodKey& method, uint64_t code_hash, std::span<const uint8_t> map) {
    const std::lock_guard lock(mutex_);
    positions_[{method.text(), code_hash}].assign(map.begin(), map.end());
  }
  // Empty if none was noted.
  std::vector<uint8_t> PositionsOf(const MethodKey& method, uint64_t code_hash) const {
    const std::lock_guard lock(mutex_);
    const auto found = positions_.find({method.text(), code_hash});
    return found == positions_.end() ? std::vector<uint8_t>() : found->second;
  }

 private:
  const ContextSites& chosen_;
  std::vector<std::atomic<const WatchedCode*>> by_site_;
  mutable std::mutex mutex_;
  std::deque<WatchedCode> codes_;
  std::map<std::pair<std::string, uint64_t>, std::vector<uint8_t>> positions_;
};

}  // namespace iprof::instrument
