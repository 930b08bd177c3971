// SampleThreads: the threads of samples (threads=y). The outermost frame of a stack is then no method's, but names the
// thread: its type is kThreadType, which no class can be called, and its name is the thread's.
//
// Example: two threads of a pool, with 3 samples, and main, with 4, ran a.B.run. The profile has the stacks
//   a.B.run:7 < [pool-*-thread-*] with 3 and a.B.run:7 < [main] with 4.
// The file's table of samples has a.B.run:7 with 7, and the part "split" (io/split_part.h) says which thread has how much of it.
//
// Guarantees: frames of threads are in memory only: no table of a file has them. A profile without them costs one look-up.
// Threads: any. Failure: none but std::bad_alloc.
#pragma once

#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "writer/profile/model.h"

namespace iprof {

inline constexpr std::string_view kThreadType = ";thread";
// As the innermost frame, the class of an event (writer/ops/event_samples.h): also in memory only.
inline constexpr std::string_view kClassType = ";class";

// The method that stands for a thread.
MethodIndex AddThread(Profile& profile, std::string_view name);

// Whether a frame names a thread or a class instead of a method.
bool NamesNoMethod(const Profile& profile, MethodIndex method);

// Which methods of a profile are threads.
class ThreadFrames {
 public:
  explicit ThreadFrames(const Profile& profile)
      : profile_(profile), type_(profile.FindType(kThreadType)) {}

  bool any() const { return type_.has_value(); }
  bool Is(TypeIndex type) const { return type_ == type; }
  bool Is(MethodIndex method) const {
    return type_ && method != kNoMethod && profile_.DeclaringType(method) == *type_;
  }
  // The thread of a stack; kNoMethod: it is not known.
  MethodIndex Of(ContextIndex context) const;
  // Takes the frame of the thread off, if there is one, and returns the thread.
  MethodIndex TakeFrom(std::vector<Frame>& frames) const;
  // How many methods of the profile are threads.
  size_t count() const;

 private:
  const Profile& profile_;
  const std::optional<TypeIndex> type_;
};

// The same without threads.
Profile WithoutThreads(Profile profile);
// The same with the samples of these threads alone, and without their frames. "" names a thread that is not known.
Profile SamplesOfThreads(const Profile& profile,
                         const std::function<bool(std::string_view name)>& wants);

// A thread's name and how many samples it has, most first.
struct ThreadSamples {
  std::string_view name;  // "": not known
  int64_t weight = 0;
};
std::vector<ThreadSamples> ThreadsOf(const Profile& profile);

}  // namespace iprof
