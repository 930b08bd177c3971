// NativeFunction: finds out by an address that a native method is not a certain one of the JDK.
//
// Why: the JVM reports each native method that it binds, some 200 in a start, and asking it for a
// method's name takes as long as everything else that an idle agent does then.
//
// Guarantees: the function itself is never excluded, nor what is outside of its library and the
// JVM's, such as another agent's replacement. Until the library is loaded, nothing is excluded.
// Threads: any. Failure: what cannot be found excludes nothing.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>

namespace iprof::vm {

class NativeFunction {
 public:
  // `library` by its soname. `vm_code`: an address in the JVM's own library.
  NativeFunction(const char* library, const char* symbol, const void* vm_code)
      : library_(library), symbol_(symbol), vm_code_(vm_code) {}

  bool MayBe(const void* address);

 private:
  struct Range {
    uintptr_t low = 0;
    uintptr_t high = 0;
    bool Contains(const void* address) const {
      const auto at = reinterpret_cast<uintptr_t>(address);
      return low <= at && at < high;
    }
  };
  static Range LibraryOf(const void* inside);
  void Find();

  const char* const library_;
  const char* const symbol_;
  const void* const vm_code_;
  std::mutex mutex_;                            // of Find
  std::atomic<const void*> function_{nullptr};  // null: not found yet. Written last
  Range its_library_;
  Range vm_library_;
};

}  // namespace iprof::vm
