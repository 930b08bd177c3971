// HandlerTrap: in debug builds, an allocation inside the signal handler aborts the process with a
// message.
//
// Why: an allocation there works nearly always, and deadlocks once a month (the interrupted thread
// holds malloc's lock). How: while a HandlerScope lives, the thread is marked; debug builds link
// malloc and its kin and operator new and delete through checks of that mark (--wrap). In other
// builds a scope costs nothing. HotSpot's own code is not checked. Async-signal-safe.
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
