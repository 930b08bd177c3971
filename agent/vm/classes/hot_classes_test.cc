#include "agent/vm/classes/hot_classes.h"

#include <catch2/catch.hpp>
#include <vector>

namespace iprof::vm {
namespace {

class Work {
 public:
  Work() { profile_.AddStandardTypes(); }

  ContextIndex In(const std::string& klass, Bci bci) {
    const std::vector<TypeIndex> signature{profile_.AddType(klass), TypeIndex{8}};
    return profile_.AddContext(kNoContext, profile_.AddMethod("run", signature), bci);
  }
  void Calls(const std::string& klass, int64_t count) {
    profile_.AddCount(Table::kCalls, In(klass, 0), count);
  }
  void Branch(const std::string& klass, int64_t taken, int64_t other) {
    const std::vector<Successor> successors{{9, 0, taken}, {4, 1, other}};
    profile_.AddSuccessors(In(klass, 1), successors);
  }
  ClassNames Hot(double share) const { return HotClasses(profile_, share); }

 private:
  Profile profile_;
};

TEST_CASE("calls and branches make a class hot") {
  Work work;
  work.Calls("a.Calls", 40);
  work.Branch("a.Branches", 30, 20);
  work.Calls("a.Branches", 5);
  work.Calls("a.Cold", 5);
  CHECK(work.Hot(0.5) == ClassNames{"a.Branches"});
  CHECK(work.Hot(0.95) == ClassNames{"a.Branches", "a.Calls"});
  CHECK(work.Hot(1) == ClassNames{"a.Branches", "a.Calls", "a.Cold"});
}

TEST_CASE("classes that do equally much are hot together") {
  Work work;
  for (const char* name : {"a.A", "a.B", "a.C"}) work.Calls(name, 10);
  work.Calls("a.Cold", 1);
  CHECK(work.Hot(0.1) == ClassNames{"a.A", "a.B", "a.C"});
}

TEST_CASE("where nothing ran, nothing is hot") {
  Work work;
  CHECK(work.Hot(0.99).empty());
  work.Calls("a.Never", 0);
  CHECK(work.Hot(1).empty());
}

}  // namespace
}  // namespace iprof::vm
