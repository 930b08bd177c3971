// CallbackGate: lets JVM callbacks find their object until the gate is closed.
//
// Why: a callback may already be running when its events are disabled, and the JVM looks the
// environment up before the callback can say that it is running. So the environment's storage does
// not hold the object. It holds the gate, and gates are never freed, so a thread may read one at
// any later time.
//
// Guarantees: a callback that enters after Close gets no object. After Wait has returned true, no
// callback that entered earlier is still inside, so the object can be destroyed.
// Threads: any, in any phase; no locks, no allocation, no calls to the JVM. Do not call Wait in a
// callback of the same gate: it would wait for itself.
// Failure: Wait returns false on timeout.
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

  // Marks a callback as inside for as long as it exists.
  class Passage {
   public:
    explicit Passage(CallbackGate& gate) : gate_(gate) {
      gate_.inside_.fetch_add(1, std::memory_order_seq_cst);
      owner_ = gate_.owner_.load(std::memory_order_seq_cst);
    }
    ~Passage() { gate_.inside_.fetch_sub(1, std::memory_order_release); }
    Passage(const Passage&) = delete;
    Passage& operator=(const Passage&) = delete;

    // Null if the gate is closed.
    void* owner() const { return owner_; }

   private:
    CallbackGate& gate_;
    void* owner_;
  };

  void Open(void* owner) { owner_.store(owner, std::memory_order_seq_cst); }
  void Close() { owner_.store(nullptr, std::memory_order_seq_cst); }

  // Waits until no callback is inside. Returns false if one still is when the time is over. If the gate
  // is open, others may enter at once.
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
