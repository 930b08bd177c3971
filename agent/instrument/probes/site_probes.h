// SiteProbes: where a method meets objects whose classes are counted, and the probes that count
// them.
//
// Receivers: at invokevirtual and invokeinterface, except calls that have one target (private or
// final methods of the same class, methods that the JDK's specification makes final; whether
// another class's method can be overridden is unknowable while its class is not loaded, and extra
// sites do no harm) and calls of signature-polymorphic methods. Monitors: at monitorenter, and at
// the entry of synchronized instance methods; those of static ones are the method's calls. Type
// checks: at instanceof and checkcast.
//
// A probe is  dup; sipush site; invokestatic hit(Object,int)  before the instruction, or  dup; push
// chunk; sipush site; invokestatic hit(Object,int,int)  where the class's loader may not find
// the holder (inherited_members.h). Compact probes call  meet  instead, which C1 does not inline. At
// calls the receiver is fetched from under the arguments (MethodEditor::BeforeCall). It keeps no object
// alive. It never stands between a monitorenter and the range that would release the lock. Where an
// object may be at hand that the verifier does not take for initialised, a monitor's site is left
// out.
//
// Guarantees as ProbeEmitter; finding sites changes nothing. One thread at a time.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "agent/classfile/method_editor.h"
#include "agent/instrument/probes/probe_emitter.h"
#include "writer/methods/class_record.h"

namespace iprof::instrument {

struct SiteKinds {
  bool receivers = false;
  bool monitors = false;
  bool instance_ofs = false;
};

struct FoundSite {
  static constexpr classfile::Insn kEntry = ~classfile::Insn{0};
  classfile::Insn insn;  // kEntry: a synchronized method's entry
  SiteKind kind;
};

// Overwrites *found with the method's sites in code order.
void FindSites(const classfile::MethodCode& code, const SiteKinds& kinds, classfile::Arena& arena,
               std::vector<FoundSite>* found);

// The holder of a chunk of sites, or inherited members for that chunk.
struct SiteHolder {
  std::string_view class_name;  // internal; unused where inherited
  std::optional<uint32_t> inherited_chunk = std::nullopt;
};

// Site i of `found` is number first + i of the holder.
void EmitSiteProbes(const std::vector<FoundSite>& found, const SiteHolder& holder, ProbeForm form,
                    uint32_t first, classfile::MethodEditor& editor);

// Bytes of each site's probe, whatever its holder and number; of one that names inherited members
// at most. `editor` is spoilt.
std::vector<uint32_t> SiteProbeLengths(const std::vector<FoundSite>& found, bool inherited,
                                       classfile::MethodEditor& editor);

}  // namespace iprof::instrument
