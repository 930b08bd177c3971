#include "agent/vm/classes/class_definitions.h"

#include <atomic>
#include <functional>
#include <mutex>
#include <utility>
#include <vector>

namespace iprof::vm {
namespace {

// The callback for failed definitions.
struct Receiver {
  std::mutex mutex;  // guards `failed`; held while it runs
  ClassDefinitions::Failed failed;
  std::atomic<uint32_t> generation{0};  // incremented when `failed` is replaced
};

Receiver& TheReceiver() {
  static auto* receiver = new Receiver;  // never destroyed, because threads may outlive statics
  return *receiver;
}

struct Definition {
  size_t name;  // its hash
  instrument::ClassId id;
  uintptr_t depth;
  uint32_t generation;
};

struct Thread {
  std::vector<Definition> open;
  ~Thread() { Drop(0); }

  void Drop(size_t from) {
    for (size_t i = open.size(); i > from; --i) {
      Receiver& receiver = TheReceiver();
      const std::lock_guard lock(receiver.mutex);
      if (open[i - 1].generation == receiver.generation && receiver.failed)
        receiver.failed(open[i - 1].id);
    }
    open.resize(from);
  }
};

Thread& This() {
  thread_local Thread thread;
  return thread;
}

}  // namespace

void ClassDefinitions::SetFailed(Failed failed) {
  Receiver& receiver = TheReceiver();
  const std::lock_guard lock(receiver.mutex);
  receiver.failed = std::move(failed);
  ++receiver.generation;
}

void ClassDefinitions::Begin(std::string_view name, instrument::ClassId id, uintptr_t depth) {
  Thread& thread = This();
  size_t kept = thread.open.size();
  // The stack grows downwards, so definitions that are still in progress began at higher addresses.
  while (kept > 0 && thread.open[kept - 1].depth <= depth) --kept;
  thread.Drop(kept);
  thread.open.push_back({std::hash<std::string_view>{}(name), id, depth, TheReceiver().generation});
}

std::optional<instrument::ClassId> ClassDefinitions::End(std::string_view name) {
  Thread& thread = This();
  const size_t wanted = std::hash<std::string_view>{}(name);
  for (size_t i = thread.open.size(); i > 0; --i) {
    const Definition& one = thread.open[i - 1];
    if (one.name != wanted || one.generation != TheReceiver().generation) continue;
    const instrument::ClassId id = one.id;
    thread.Drop(i);  // definitions nested in it have ended
    thread.open.pop_back();
    return id;
  }
  return std::nullopt;
}

bool ClassDefinitions::Any() { return !This().open.empty(); }

}  // namespace iprof::vm
