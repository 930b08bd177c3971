#include "agent/vm/classes/names/native_function.h"

#include <dlfcn.h>

#include <catch2/catch.hpp>

namespace iprof::vm {
namespace {

void* InLibrary(const char* library, const char* symbol) {
  void* const opened = dlopen(library, RTLD_LAZY | RTLD_NOLOAD);
  REQUIRE(opened != nullptr);
  void* const found = dlsym(opened, symbol);
  dlclose(opened);
  REQUIRE(found != nullptr);
  return found;
}

TEST_CASE("other functions of the library and of the JVM's are excluded, and nothing else") {
  // The C++ library stands for the JVM's.
  const void* const vm_code = InLibrary("libstdc++.so.6", "_ZSt9terminatev");
  NativeFunction function("libc.so.6", "qsort", vm_code);
  CHECK(function.MayBe(InLibrary("libc.so.6", "qsort")));
  CHECK_FALSE(function.MayBe(InLibrary("libc.so.6", "bsearch")));
  CHECK_FALSE(function.MayBe(vm_code));
  CHECK_FALSE(function.MayBe(InLibrary("libstdc++.so.6", "_ZSt13set_terminatePFvvE")));
  const int here = 0;
  CHECK(function.MayBe(&here));
  CHECK(function.MayBe(reinterpret_cast<const void*>(&InLibrary)));
  CHECK(function.MayBe(nullptr));
}

TEST_CASE("nothing is excluded where the library or its function is unknown") {
  const void* const bsearch = InLibrary("libc.so.6", "bsearch");
  CHECK(NativeFunction("libnone.so", "qsort", bsearch).MayBe(bsearch));
  CHECK(NativeFunction("libc.so.6", "no_such_function", bsearch).MayBe(bsearch));
}

}  // namespace
}  // namespace iprof::vm
