// HandlerTrap: in debug builds, an allocation inside the signal handler aborts the process with a
// message.
//
// Why: such an allocation nearly always works, but on rare occasions it deadlocks, because the
// interrupted thread holds malloc's lock.
//
// Guarantees: while a HandlerScope exists, its thread is marked. Debug builds link malloc and its
// relatives and operator new and delete through checks of that mark (--wrap). In other builds a
// scope costs nothing. HotSpot's own code is not checked.
// Threads: any; async-signal-safe. Failure: abort, in debug builds only.
#pragma once

namespace iprof::sampling {

#if defined(IPROF_TRAP_HANDLER_ALLOCATIONS)
class HandlerScope {
 public:
  HandlerScope() noexcept;
  ~HandlerScope() noexcept;
  HandlerScope(const HandlerScope&) = delete;
  HandlerScope& operator=(const HandlerScope&) = delete;

 private:
  bool before_;
};
#else
class HandlerScope {
 public:
  HandlerScope() noexcept {}
};
#endif

}  // namespace iprof::sampling
