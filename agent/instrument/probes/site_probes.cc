#include "agent/instrument/probes/site_probes.h"

#include "agent/classfile/uninitialized.h"
#include "agent/instrument/probes/final_classes.h"
#include "agent/instrument/probes/inherited_members.h"

namespace iprof::instrument {
namespace {

using classfile::ClassFile;
using classfile::Insn;
using classfile::MemberInfo;
using classfile::MemberRef;
using classfile::MethodCode;
using classfile::Op;

bool IsSignaturePolymorphic(std::string_view owner, std::string_view name) {
  if (owner == "java/lang/invoke/VarHandle")
    return true;  // nearly all of its methods; the others do not matter
  return owner == "java/lang/invoke/MethodHandle" && name.starts_with("invoke");
}

// A private or final method of the class itself, or one that the JDK's specification makes final.
bool HasOneTarget(const ClassFile& file, std::string_view owner, const MemberRef& member) {
  if (IsFinalClass(owner) || IsFinalMethodOfObject(member.name, member.descriptor)) return true;
  if (owner != file.name()) return false;
  for (const MemberInfo& method : file.methods()) {
    if (file.NameOf(method) != member.name || file.DescriptorOf(method) != member.descriptor)
      continue;
    return (method.access & (classfile::kAccPrivate | classfile::kAccFinal)) != 0 ||
           (file.access() & classfile::kAccFinal) != 0;
  }
  return false;
}

bool IsReceiverSite(const MethodCode& code, Insn insn) {
  const Op op = code.at(insn).op;
  if (op != Op::invokevirtual && op != Op::invokeinterface) return false;
  const auto member = code.Member(insn);
  if (!member) return false;
  const std::string_view owner = code.file().pool().ClassName(member->owner);
  return !IsSignaturePolymorphic(owner, member->name) && !HasOneTarget(code.file(), owner, *member);
}

}  // namespace

void FindSites(const MethodCode& code, const SiteKinds& kinds, classfile::Arena& arena,
               std::vector<FoundSite>* found) {
  found->clear();
  const uint16_t access = code.method().access;
  if (kinds.monitors && (access & classfile::kAccSynchronized) != 0 && !code.is_static()) {
    found->push_back({FoundSite::kEntry, SiteKind::kMonitor});
  }
  bool monitors = kinds.monitors;
  bool looked_at_objects = false;
  classfile::UninitializedObjects uninitialized;
  for (Insn i = 0; i < code.count(); ++i) {
    const Op op = code.at(i).op;
    if (kinds.receivers && IsReceiverSite(code, i)) {
      found->push_back({i, SiteKind::kReceiver});
    } else if (monitors && op == Op::monitorenter) {
      if (!looked_at_objects) {
        looked_at_objects = true;
        monitors = uninitialized.Compute(code, arena) == classfile::Reason::kOk;
      }
      if (monitors && !uninitialized.At(i) &&
          (code.at(i).flags & classfile::kIsBranchTarget) == 0) {
        found->push_back({i, SiteKind::kMonitor});
      }
    } else if (kinds.instance_ofs && (op == Op:: instanceof || op == Op::checkcast)) {
      found->push_back({i, SiteKind::kInstanceOf});
    }
  }
}

namespace {

// `chunk` is set if the probe names inherited members.
void EmitSiteProbe(const FoundSite& site, classfile::CpIndex hit, std::optional<uint32_t> chunk,
                   int16_t index, classfile::MethodEditor& editor) {
  // Consumes the object on top of the stack.
  const auto count = [&](classfile::SnippetBuilder& build) {
    if (chunk) build.PushInt(static_cast<int32_t>(*chunk));
    return build.Sipush(index).InvokeStatic(hit, chunk ? 3 : 2, 0).Finish();
  };
  if (site.insn == FoundSite::kEntry) {
    auto build = editor.Build();
    editor.OnEntry(count(build.LoadOwn('A', 0)));
  } else if (site.kind == SiteKind::kReceiver) {
    auto build = editor.BuildForReceiver();
    editor.BeforeCall(site.insn, count(build));
  } else {
    auto build = editor.BuildForTop();
    editor.Before(site.insn, count(build.Raw(Op::dup)));
  }
}

}  // namespace

void EmitSiteProbes(const std::vector<FoundSite>& found, const SiteHolder& holder, ProbeForm form,
                    uint32_t first, classfile::MethodEditor& editor) {
  if (found.empty()) return;
  const std::optional<uint32_t> chunk = holder.inherited_chunk;
  const bool compact = form == ProbeForm::kCompact;
  const classfile::CpIndex hit =
      chunk ? InheritedMethodRef(editor.code().file(), compact ? kInheritedMeet : kInheritedHit,
                                 editor.pool())
            : editor.pool().Method(holder.class_name, compact ? "meet" : "hit",
                                   "(Ljava/lang/Object;I)V");
  uint32_t number = first;
  for (const FoundSite& site : found)
    EmitSiteProbe(site, hit, chunk, static_cast<int16_t>(number++), editor);
}

std::vector<uint32_t> SiteProbeLengths(const std::vector<FoundSite>& found, bool inherited,
                                       classfile::MethodEditor& editor) {
  constexpr classfile::CpIndex kAnyMethod{1};
  constexpr uint32_t kAnyChunk = 1000;
  std::vector<uint32_t> lengths;
  lengths.reserve(found.size());
  for (const FoundSite& site : found) {
    const uint32_t before = editor.pieces().size();
    EmitSiteProbe(site, kAnyMethod, inherited ? std::optional(kAnyChunk) : std::nullopt, 0, editor);
    // otherwise the rewriter will report the reason
    const bool added = editor.pieces().size() > before;
    lengths.push_back(added ? editor.pieces().back().length : 1);
  }
  return lengths;
}

}  // namespace iprof::instrument
