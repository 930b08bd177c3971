// SourceLines: the source lines of positions in methods, as far as a profile has them.
//
// Why: the format has only bytecode positions, and the class files that have the lines are seldom
// available where a profile is read. So the agent adds the lines of sampled positions to the
// profile's section "iprofagent" (agent_section.h), which consumers of the format skip:
//   "lines": {"a.B.run(int)void": {"0": 12, "5": 13}, ...}
// Methods are named by their text (Profile::DescribeMethod), so that the part keeps its meaning in
// a merged profile.
//
// Guarantees: one line per method and position. If two are given, the smaller one wins, so the
// order of adding makes no difference. ToJson is deterministic. Any text may be passed to AddJson.
// Threads: one per object; const methods may run in parallel.
// Failure: AddJson returns false and adds nothing. Throws nothing but std::bad_alloc.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "writer/profile/model.h"

namespace iprof {

class SourceLines {
 public:
  // The lines that a profile contains; empty if it has no such part, or one of another shape.
  static SourceLines Of(const Profile& profile);

  void Add(std::string_view method, Bci bci, int64_t line);
  void Add(const SourceLines& other);
  // Adds the part's value. Adds nothing and returns false if the text is not such a value.
  bool AddJson(std::string_view json);

  bool empty() const { return methods_.empty(); }
  std::optional<int64_t> LineOf(std::string_view method, Bci bci) const;
  std::string ToJson() const;

 private:
  std::map<std::string, std::map<Bci, int64_t>, std::less<>> methods_;
};

}  // namespace iprof
