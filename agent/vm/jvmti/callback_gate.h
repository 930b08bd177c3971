// CallbackGate: lets callbacks of the JVM find the object that they are for, until it is closed.
//
// Why: the JVM may be inside a callback when its events are disabled, and an environment is looked up before the callback
// can say that it is there. So the object is not what an environment's storage holds. The gate is, and gates are never
// freed: a thread may read one at any later time.
//
// Guarantees: who enters after Close gets no object. Once Wait has returned true, nobody who entered before is inside,
// so the object can be destroyed. Any thread, any phase; no locks, no allocation, no calls to the JVM. Wait is not
// for callbacks of the same gate, which would wait for themselves.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <thread>

namespace iprof::vm {

class CallbackGate {
 public:
  explicit CallbackGate(void* owner) : owner_(owner) {}
  CallbackGate(const CallbackGate&) = delete;
  CallbackGate& operator=(const CallbackGate&) = delete;

  // A callback's time inside.
  class Passage {
   public:
    explicit Passage(CallbackGate& gate) : gate_(gate) {
      gate_.inside_.fetch_add(1, std::memory_order_seq_cst);
      owner_ = gate_.owner_.load(std::memory_order_seq_cst);
    }
    ~Passage() { gate_.inside_.fetch_sub(1, std::memory_order_release); }
    Passage(const Passage&) = delete;
    Passage& operator=(const Passage&) = delete;

    // Null where the gate was closed.
    void* owner() const { return owner_; }

   private:
    CallbackGate& gate_;
    void* owner_;
  };

  void Open(void* owner) { owner_.store(owner, std::memory_order_seq_cst); }
  void Close() { owner_.store(nullptr, std::memory_order_seq_cst); }

  // After Close: until nobody is inside. False: somebody still was when the time was over.
  bool Wait(std::chrono::milliseconds patience) const {
    const auto deadline = std::chrono::steady_clock::now() + patience;
    while (inside_.load(std::memory_order_seq_cst) != 0) {
      if (std::chrono::steady_clock::now() >= deadline) return false;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return true;
  }

 private:
  std::atomic<void*> owner_;
  std::atomic<uint64_t> inside_{0};
};

}  // namespace iprof::vm
