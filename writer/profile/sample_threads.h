// SampleThreads: of which thread samples are (threads=y), and when they were taken. The outermost frame of a stack is then no
// method's, but that of the thread: its type is kThreadType, which no class can be called, its name is the thread's or "" if that
// is not known, and its position the period of the recording (writer/base/time_period.h).
//
// Example: two threads of a pool, with 3 samples in seconds 4 and 5, and main, with 4 at an unknown time, ran a.B.run. The
// profile has the stacks
//   a.B.run:7 < [pool-*-thread-*]:5 with 3 and a.B.run:7 < [main]:0 with 4.
// The file's table of samples has a.B.run:7 with 7, and the part "split" (io/split_part.h) says which thread and period has how
// much of it.
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

// The position of a thread's frame: 0 if the period is not known. It is below 65,536.
constexpr Bci FrameBciOf(int32_t second) { return second + 1; }

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
  // Takes the frame of the thread off, if there is one, and returns it; its method is kNoMethod if the thread is not known.
  Frame TakeFrom(std::vector<Frame>& frames) const;
  // How many methods of the profile are threads.
  size_t count() const;

 private:
  const Profile& profile_;
  const std::optional<TypeIndex> type_;
};

// What samples say of themselves.
enum class SampleLabels : uint8_t { kNone, kThreads, kThreadsAndPeriods };

// The same without threads and periods.
Profile WithoutThreads(Profile profile);
Profile WithLabels(Profile profile, SampleLabels labels);
// The same with the samples of these threads alone, and without their frames. "" names a thread that is not known.
Profile SamplesOfThreads(const Profile& profile,
                         const std::function<bool(std::string_view name)>& wants);

// A thread's name and how many samples it has, most first.
struct ThreadSamples {
  std::string_view name;  // "": not known
  int64_t weight = 0;
};
std::vector<ThreadSamples> ThreadsOf(const Profile& profile);
// Whether it knows the thread of any sample.
bool KnowsThreads(const Profile& profile);

// The second in which a period begins, and how many samples it has; ascending. Those of no known period are not in it.
struct PeriodSamples {
  uint32_t begin = 0;
  int64_t weight = 0;
};
std::vector<PeriodSamples> PeriodsOf(const Profile& profile);
// The same with the samples of the periods that have a second in [from, to).
Profile SamplesOfPeriods(const Profile& profile, uint64_t from, uint64_t to);

}  // namespace iprof
