// Exceptions find their handlers through our FindObject, as in the agent: this program is linked
// like the agent, with libgcc's unwinder and unwinder_seam.cc. And FindObject gives the same
// results as glibc's function.
#include "agent/vm/session/find_object.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>
#include <thread>

namespace {

int failures = 0;
void Expect(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "not so: %s\n", what);
  ++failures;
}

int ended = 0;
struct Counted {
  ~Counted() { ++ended; }
};

__attribute__((noinline)) void Throw(int depth) {
  const Counted counted;
  if (depth == 0) throw std::runtime_error("thrown");
  Throw(depth - 1);
}

std::string Caught() {
  try {
    Throw(10);
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "nothing";
}

}  // namespace

int main() {
  Expect(Caught() == "thrown", "an exception reaches its handler");
  Expect(ended == 11, "each frame was cleaned up");
  std::string on_thread;
  std::thread([&] { on_thread = Caught(); }).join();
  Expect(on_thread == "thrown", "on another thread, too");
#ifdef IPROF_UNWINDER_FINDS_OBJECTS
  using Find = int (*)(void*, dl_find_object*);
  void* libc = dlopen("libc.so.6", RTLD_NOW | RTLD_NOLOAD);
  const auto glibc = reinterpret_cast<Find>(dlsym(libc, "_dl_find_object"));
  int local = 0;
  for (void* address :
       {reinterpret_cast<void*>(&Throw), dlsym(libc, "qsort"), dlsym(libc, "environ"),
        static_cast<void*>(&failures), static_cast<void*>(&local), std::malloc(1)}) {
    dl_find_object ours{};
    dl_find_object theirs{};
    const int found = iprof::vm::FindObject(address, &ours);
    if (glibc == nullptr) break;
    Expect(found == glibc(address, &theirs), "found where glibc finds it");
    if (found != 0) continue;
    Expect(ours.dlfo_eh_frame == theirs.dlfo_eh_frame, "with the same table");
    Expect(ours.dlfo_map_start <= address && address < ours.dlfo_map_end, "in its mapping");
  }
#endif
  return failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
