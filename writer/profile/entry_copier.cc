#include "writer/profile/entry_copier.h"

namespace iprof {

TypeIndex EntryCopier::Map(TypeIndex type) {
  std::optional<TypeIndex>& known = types_[static_cast<size_t>(type)];
  if (!known) {
    const std::string_view name = from_.TypeName(type);
    known =
        ids_ == Ids::kKeep ? to_.AddTypeWithId(name, from_.TypeFileId(type)) : to_.AddType(name);
  }
  return *known;
}

MethodIndex EntryCopier::Map(MethodIndex method) {
  if (method == kNoMethod) return kNoMethod;
  std::optional<MethodIndex>& known = methods_[static_cast<size_t>(method)];
  if (!known) {
    std::vector<TypeIndex> signature;
    for (const TypeIndex type : from_.Signature(method)) signature.push_back(Map(type));
    const std::string_view name = from_.MethodName(method);
    known = ids_ == Ids::kKeep ? to_.AddMethodWithId(name, signature, from_.MethodFileId(method))
                               : to_.AddMethod(name, signature);
    if (from_.CodeHash(method) != 0) to_.SetCodeHash(*known, from_.CodeHash(method));
    to_.AddSureness(*known, from_.SurenessOf(method));
    to_.AddFirstCall(*known, from_.FirstCallOf(method));
    to_.notes().Add(*known, from_.notes(), method);
  }
  return *known;
}

ContextIndex EntryCopier::Map(Table table, ContextIndex context) {
  if (table == Table::kMonitors) return to_.AddMonitorContext();
  std::vector<Frame> frames = from_.Frames(context);
  for (Frame& frame : frames) frame.method = Map(frame.method);
  return to_.AddContext(frames);
}

void EntryCopier::DeclareAll() {
  for (const TypeIndex type : TypesOf(from_)) Map(type);
  for (const MethodIndex method : MethodsOf(from_)) Map(method);
}

void EntryCopier::CopyEntry(Table table, EntryIndex entry) {
  switch (RecordKindOf(table)) {
    case RecordKind::kCount:
      to_.AddCount(table, Map(table, from_.EntryContext(table, entry)),
                   from_.EntryCount(table, entry));
      return;
    case RecordKind::kSuccessors:
      to_.AddSuccessors(Map(table, from_.EntryContext(table, entry)), from_.EntrySuccessors(entry));
      return;
    case RecordKind::kTypeCounts:
      CopyTypeCounts(table, entry, from_.EntryTypeCounts(table, entry));
      return;
  }
}

void EntryCopier::CopyTypeCounts(Table table, EntryIndex entry, std::span<const TypeCount> counts) {
  std::vector<TypeCount> mapped;
  for (const TypeCount& count : counts) mapped.push_back({Map(count.type), count.count});
  to_.AddTypeCounts(table, Map(table, from_.EntryContext(table, entry)), mapped);
}

}  // namespace iprof
