// PositionNotes: what is known of positions in a profile's methods beside their counts: the source line, at a call
// the name of the method that the instruction names, and the rest: which share of the objects there had classes that
// the entry does not list. Example: a call saw 80 Circles and 10 Squares, and 10 objects of unknown class. Its entry lists
// 80 and 10, and the rest is 100 per mille.
//
// Guarantees: one line, callee and rest for each position. If two are given, the smaller line and callee and the larger
// rest stay, so the order of adding makes no difference. Takes no memory before the first note.
// Threads: as Profile. Failure: std::bad_alloc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace iprof {

enum class MethodIndex : uint32_t;
using Bci = int32_t;

class PositionNotes {
 public:
  static constexpr uint16_t kWhole = 1000;  // per mille

  void SetLine(MethodIndex method, Bci bci, int32_t line);
  // "java.util.List.get"
  void SetCallee(MethodIndex method, Bci bci, std::string_view callee);
  // Of all objects at the site; at most kWhole. 0 is no note.
  void SetRest(MethodIndex method, Bci bci, uint16_t permille);
  // Adds the notes of a method in other notes to a method here.
  void Add(MethodIndex method, const PositionNotes& other, MethodIndex of);

  std::optional<int32_t> LineOf(MethodIndex method, Bci bci) const;
  std::string_view CalleeOf(MethodIndex method, Bci bci) const;  // empty: not known
  uint16_t RestOf(MethodIndex method, Bci bci) const;  // per mille; 0: all classes are listed

  bool empty() const { return methods_.empty(); }
  void Clear();
  size_t MemoryBytes() const;

 private:
  static constexpr int32_t kNoLine = -1;
  struct Note {
    Bci bci;
    int32_t line = kNoLine;
    uint32_t callee = 0;  // in names_, from 1 on
    uint16_t rest = 0;    // per mille
  };

  Note& At(MethodIndex method, Bci bci);
  const Note* Find(MethodIndex method, Bci bci) const;

  std::vector<std::vector<Note>>
      methods_;  // ascending bci; may be shorter than the profile's methods
  std::deque<std::string> names_;
  std::unordered_map<std::string_view, uint32_t> numbers_;  // of names
};

}  // namespace iprof
