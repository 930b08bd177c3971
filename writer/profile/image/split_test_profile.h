// Profiles with virtual calls and samples, for the tests of what an image build makes of both.
//
// Classes 0, 1, 2 ... extend Base. Each has an own run(), unless it is to inherit Base's. Main.loop calls run() at bci 7.
//
// Guarantees: for tests only. Threads: the test's. Failure: none.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "writer/profile/io/agent_section.h"
#include "writer/profile/model.h"

namespace iprof {

class CallProfile {
 public:
  // `inherits` are numbers of classes.
  explicit CallProfile(size_t classes, const std::vector<size_t>& inherits = {}) {
    profile.AddStandardTypes();
    profile.SetExtra(kAgentKey, R"({"version":1})");
    void_ = profile.AddType("void");
    const TypeIndex main_type = profile.AddType("Main");
    main = Declare(main_type, "main");
    loop = Declare(main_type, "loop");
    call = {loop, 7};
    base_run = Declare(profile.AddType("Base"), "run");
    for (size_t i = 0; i < classes; ++i) {
      const TypeIndex type = profile.AddType("C" + std::to_string(i));
      types.push_back(type);
      bool is_own = true;
      for (const size_t inherited : inherits) is_own = is_own && inherited != i;
      runs.push_back(is_own ? Declare(type, "run") : base_run);
      Declare(type, "other");
    }
  }

  MethodIndex Declare(TypeIndex type, const char* name) {
    const TypeIndex signature[] = {type, void_};
    return profile.AddMethod(name, signature);
  }

  // Counts of the classes at a site.
  void Receive(Frame site, const std::vector<int64_t>& counts) {
    std::vector<TypeCount> pairs;
    for (size_t i = 0; i < counts.size(); ++i) {
      if (counts[i] > 0) pairs.push_back({types[i], counts[i]});
    }
    profile.AddTypeCounts(Table::kVirtualInvokes, profile.AddContext({&site, 1}), pairs);
  }

  // Frames innermost first.
  void Sample(const std::vector<Frame>& frames, int64_t weight) {
    profile.AddCount(Table::kSamples, profile.AddContext(frames), weight);
  }
  // In the method, called by loop.
  void SampleIn(MethodIndex method, int64_t weight) {
    Sample({{method, 3}, call, {main, 5}}, weight);
  }

  Profile profile;
  std::vector<TypeIndex> types;
  std::vector<MethodIndex> runs;  // what run() is for each class
  MethodIndex main{};
  MethodIndex loop{};
  MethodIndex base_run{};
  Frame call{};

 private:
  TypeIndex void_{};
};

}  // namespace iprof
