#include "agent/instrument/site_probes.h"

#include "agent/classfile/uninitialized.h"
#include "agent/instrument/final_classes.h"
#include "agent/instrument/inherited_members.h"

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
    return true;  // nearly all of its methods; the rest are not worth telling
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

void EmitSiteProbes(const std::vector<FoundSite>& found, const SiteHolder& holder, uint32_t first,
                    classfile::MethodEditor& editor) {
  if (found.empty()) return;
  const std::optional<uint32_t> chunk = holder.inherited_chunk;
  const classfile::CpIndex hit =
      chunk ? InheritedMethodRef(editor.code().file(), kInheritedHit, editor.pool())
            : editor.pool().Method(holder.class_name, "hit", "(Ljava/lang/Object;I)V");
  // Consumes the object on top of the stack.
  const auto count = [&](classfile::SnippetBuilder& build, int16_t index) {
    if (chunk) build.PushInt(static_cast<int32_t>(*chunk));
    return build.Sipush(index).InvokeStatic(hit, chunk ? 3 : 2, 0).Finish();
  };
  uint32_t number = first;
  for (const FoundSite& site : found) {
    const auto index = static_cast<int16_t>(number++);
    if (site.insn == FoundSite::kEntry) {
      auto build = editor.Build();
      editor.OnEntry(count(build.LoadOwn('A', 0), index));
    } else if (site.kind == SiteKind::kReceiver) {
      auto build = editor.BuildForReceiver();
      editor.BeforeCall(site.insn, count(build, index));
    } else {
      auto build = editor.BuildForTop();
      editor.Before(site.insn, count(build.Raw(Op::dup), index));
    }
  }
}

}  // namespace iprof::instrument
