#include "agent/vm/recorder/thread_names.h"

#include <catch2/catch.hpp>

namespace iprof::vm {
namespace {

const void* Env(uintptr_t number) { return reinterpret_cast<const void*>(number * 8); }

TEST_CASE("threads with the same folded name have the same number, until they are forgotten") {
  ThreadNames names;
  names.Note(Env(1), "pool-1-thread-1");
  names.Note(Env(2), "main");
  names.Note(Env(3), "pool-1-thread-2");
  CHECK(names.NumberOf(Env(1)) == 1);
  CHECK(names.NumberOf(Env(2)) == 2);
  CHECK(names.NumberOf(Env(3)) == 1);
  CHECK(names.NameOf(1) == "pool-*-thread-*");
  CHECK(names.NameOf(0).empty());
  CHECK(names.NameOf(3).empty());
  names.Note(Env(3), "renamed");
  CHECK(names.NameOf(names.NumberOf(Env(3))) == "renamed");
  names.Forget(Env(1));
  CHECK(names.NumberOf(Env(1)) == 0);
  CHECK(names.Number("pool-9-thread-9") == 1);  // without a thread
  names.ForgetThreads();
  CHECK(names.NumberOf(Env(2)) == 0);
  CHECK(names.NameOf(2) == "main");
}

TEST_CASE("after too many names, all further ones are one, and the threads are counted") {
  ThreadNames names;
  const auto name = [](size_t i) {
    return std::string(1, static_cast<char>('a' + i % 26)) + std::string(i / 26, 'x');
  };
  for (size_t i = 0; i < ThreadNames::kMostNames; ++i) names.Note(Env(1 + i), name(i));
  CHECK(names.others() == 0);
  names.Note(Env(5000), "one more");
  names.Note(Env(5001), "another one");
  names.Note(Env(5002), name(7));
  const size_t bytes = names.bytes();
  for (int again = 0; again < 2; ++again) {
    names.Note(Env(5000), std::string("yet another one, at ") + (again == 0 ? "first" : "last"));
    names.Note(Env(5001), "another one");
    names.Note(Env(5002), name(7));  // is known
  }
  CHECK(names.others() == 2);
  CHECK(names.NumberOf(Env(5000)) == names.NumberOf(Env(5001)));
  CHECK(names.NameOf(names.NumberOf(Env(5000))) == ThreadNames::kOthers);
  CHECK(names.NameOf(names.NumberOf(Env(5002))) == name(7));
  CHECK(names.bytes() == bytes);
}

}  // namespace
}  // namespace iprof::vm
