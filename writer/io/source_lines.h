// SourceLines: which line of its source file a position of a method is on, as far as a profile knows.
//
// Why: the format has bytecode positions only, and the class files that could tell the lines are
// seldom at hand where a profile is read. So the agent adds the lines of what it sampled to the
// profile's section "iprofagent" (agent_section.h), which consumers of the format skip:
//   "lines": {"a.B.run(int)void": {"0": 12, "5": 13}, ...}
// Methods are named by their text (Profile::DescribeMethod), so that the part means the same in a
// merged profile.
//
// Guarantees: one line per method and position; where two are given, the smaller stands, so the order
// of adding makes no difference. ToJson is deterministic. Any text may be handed to AddJson. One
// thread.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "writer/model/model.h"

namespace iprof {

class SourceLines {
 public:
  // The lines that a profile brings with it; none where it has no such part, or one of another shape.
  static SourceLines Of(const Profile& profile);

  void Add(std::string_view method, Bci bci, int64_t line);
  void Add(const SourceLines& other);
  // The part's value. False, and nothing added, where the text is none.
  bool AddJson(std::string_view json);

  bool empty() const { return methods_.empty(); }
  std::optional<int64_t> LineOf(std::string_view method, Bci bci) const;
  std::string ToJson() const;

 private:
  std::map<std::string, std::map<Bci, int64_t>, std::less<>> methods_;
};

}  // namespace iprof
