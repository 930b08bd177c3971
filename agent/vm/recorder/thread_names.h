// ThreadNames: what the threads of a program are called in samples: folded names, with a number each.
//
// Example: "pool-1-thread-1" starts and gets number 1 of "pool-*-thread-*"; "pool-1-thread-2" gets 1, too, and "main" gets 2.
//
// Guarantees: numbers are from 1 on, and keep their names. After kMostNames different ones, all further names are
// kOthers. Knows no JVM: a thread is known by its JNIEnv, from Note to Forget.
// Threads: any. It holds its lock for no call of anything else.
// Failure: std::bad_alloc; then the thread is not known.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace iprof::vm {

class ThreadNames {
 public:
  static constexpr size_t kMostNames = 1024;
  static constexpr std::string_view kOthers = "(other threads)";

  // `name`: as JVMTI has it.
  void Note(const void* env, std::string_view name);
  // The number of a name, which may be new.
  uint32_t Number(std::string_view name);
  void Forget(const void* env);
  // Names and their numbers stay.
  void ForgetThreads();
  // The number of the thread's name; 0: it is not known.
  uint32_t NumberOf(const void* env) const;
  // "" for a number that was never given.
  std::string NameOf(uint32_t number) const;
  // How many threads became kOthers.
  uint64_t others() const;
  size_t bytes() const;

 private:
  // With the lock held.
  uint32_t Add(std::string folded);

  mutable std::mutex lock_;
  std::unordered_map<const void*, uint32_t> threads_;
  std::unordered_map<std::string, uint32_t> numbers_;
  std::vector<std::string> names_;  // by number - 1
  size_t text_bytes_ = 0;
  uint64_t others_ = 0;
};

}  // namespace iprof::vm
