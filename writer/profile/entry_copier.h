// EntryCopier: copies types, methods and entries from one profile to another, whose indices differ.
//
// Guarantees: types are matched by name, methods by declaring type, name and signature, contexts frame by frame. What
// the other profile lacks is added when it is first asked for; a new type or method keeps its file id with Ids::kKeep.
// A method's code hash and notes go with it. Counts are added to those that the other profile has.
// Threads: one at a time; nothing else may change the two profiles.
// Failure: none but std::bad_alloc.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "writer/profile/model.h"

namespace iprof {

class EntryCopier {
 public:
  enum class Ids : uint8_t { kNew, kKeep };

  EntryCopier(const Profile& from, Profile& to, Ids ids = Ids::kNew)
      : from_(from), to_(to), ids_(ids), types_(from.type_count()), methods_(from.method_count()) {}

  TypeIndex Map(TypeIndex type);
  MethodIndex Map(MethodIndex method);
  ContextIndex Map(Table table, ContextIndex context);
  void DeclareAll();

  void CopyEntry(Table table, EntryIndex entry);
  // The same with only these of its types.
  void CopyTypeCounts(Table table, EntryIndex entry, std::span<const TypeCount> counts);

 private:
  const Profile& from_;
  Profile& to_;
  const Ids ids_;
  std::vector<std::optional<TypeIndex>> types_;
  std::vector<std::optional<MethodIndex>> methods_;
};

}  // namespace iprof
