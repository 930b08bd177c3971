#include "agent/vm/recorder/thread_names.h"

#include "writer/names/thread_names.h"

namespace iprof::vm {
namespace {

// The size of a node of a map, with its bucket.
constexpr size_t kNodeBytes = 64;

}  // namespace

void ThreadNames::Note(const void* env, std::string_view name) {
  std::string folded = FoldedThreadName(name);
  const std::lock_guard lock(lock_);
  const bool is_other = !numbers_.contains(folded) && names_.size() >= kMostNames;
  const uint32_t number = Add(is_other ? std::string(kOthers) : std::move(folded));
  uint32_t& known = threads_[env];
  if (is_other && known != number) ++others_;
  known = number;
}

uint32_t ThreadNames::Number(std::string_view name) {
  std::string folded = FoldedThreadName(name);
  const std::lock_guard lock(lock_);
  const bool is_other = !numbers_.contains(folded) && names_.size() >= kMostNames;
  return Add(is_other ? std::string(kOthers) : std::move(folded));
}

uint32_t ThreadNames::Add(std::string folded) {
  const auto [known, is_new] =
      numbers_.try_emplace(folded, static_cast<uint32_t>(names_.size()) + 1);
  if (is_new) {
    text_bytes_ += 2 * folded.size();
    names_.push_back(std::move(folded));
  }
  return known->second;
}

void ThreadNames::Forget(const void* env) {
  const std::lock_guard lock(lock_);
  threads_.erase(env);
}

void ThreadNames::ForgetThreads() {
  const std::lock_guard lock(lock_);
  threads_.clear();
}

uint32_t ThreadNames::NumberOf(const void* env) const {
  const std::lock_guard lock(lock_);
  const auto known = threads_.find(env);
  return known == threads_.end() ? 0 : known->second;
}

std::string ThreadNames::NameOf(uint32_t number) const {
  const std::lock_guard lock(lock_);
  return number == 0 || number > names_.size() ? std::string() : names_[number - 1];
}

uint64_t ThreadNames::others() const {
  const std::lock_guard lock(lock_);
  return others_;
}

size_t ThreadNames::bytes() const {
  const std::lock_guard lock(lock_);
  return text_bytes_ + names_.capacity() * sizeof(std::string) +
         numbers_.size() * (kNodeBytes + sizeof(std::string)) + threads_.size() * kNodeBytes;
}

}  // namespace iprof::vm
