// JvmtiMemory: owns memory that JVMTI allocated, so that it is freed on every path.
//
// Guarantees: the destructor deallocates it. The environment must outlive it. Threads: use each
// object on the thread that created it. Failure: get() is null if the JVMTI call failed.
#pragma once

#include <jvmti.h>

#include <string_view>

namespace iprof::vm {

// An array or string that JVMTI allocated: pass address() to the JVMTI call, then read get().
template <typename T>
class JvmtiMemory {
 public:
  explicit JvmtiMemory(jvmtiEnv* jvmti) : jvmti_(jvmti) {}
  ~JvmtiMemory() {
    if (memory_ != nullptr) jvmti_->Deallocate(reinterpret_cast<unsigned char*>(memory_));
  }
  JvmtiMemory(const JvmtiMemory&) = delete;
  JvmtiMemory& operator=(const JvmtiMemory&) = delete;

  T** address() { return &memory_; }
  T* get() const { return memory_; }
  T& operator[](jint index) const { return memory_[index]; }

 private:
  jvmtiEnv* jvmti_;
  T* memory_ = nullptr;
};

using JvmtiString = JvmtiMemory<char>;

inline std::string_view ViewOf(const JvmtiString& text) {
  return text.get() == nullptr ? std::string_view() : std::string_view(text.get());
}

}  // namespace iprof::vm
