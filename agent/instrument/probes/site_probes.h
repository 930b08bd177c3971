// SiteProbes: finds where a method handles objects whose classes are counted, and inserts the
// probes that count them.
//
// Receivers: at invokevirtual and invokeinterface, except for calls with one target (private or
// final methods of the same class, and methods that the JDK's specification makes final) and calls
// of signature-polymorphic methods. Whether another class's method can be overridden is unknown
// while its class is not loaded; extra sites do no harm. Monitors: at monitorenter, and at the
// entry of synchronized instance methods; for static ones, the method's calls are counted instead.
// Type checks: at instanceof and checkcast.
//
// A probe is  dup; sipush site; invokestatic hit(Object,int)  before the instruction, or  dup; push
// chunk; sipush site; invokestatic hit(Object,int,int)  if the class's loader may not find the
// holder (inherited_members.h). Compact probes call  meet  instead, which C1 does not inline. At
// calls, the receiver is copied from below the arguments (MethodEditor::BeforeCall). A probe keeps
// no object alive. It is never placed between a monitorenter and the range that would release the
// lock. If there may be an object that the verifier considers uninitialised, a monitor's site is
// left out.
//
// Guarantees, threads and failure: as ProbeEmitter. Finding sites changes nothing.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "agent/classfile/method_editor.h"
#include "agent/instrument/probes/probe_emitter.h"
#include "writer/records/class_record.h"

namespace iprof::instrument {

struct SiteKinds {
  bool receivers = false;
  bool monitors = false;
  bool instance_ofs = false;
};

struct FoundSite {
  static constexpr classfile::Insn kEntry = ~classfile::Insn{0};
  classfile::Insn insn;  // kEntry: the entry of a synchronized method
  SiteKind kind;
};

// Stores the method's sites in *found, in code order.
void FindSites(const classfile::MethodCode& code, const SiteKinds& kinds, classfile::Arena& arena,
               std::vector<FoundSite>* found);

// The holder of a chunk of sites, or inherited members for that chunk.
struct SiteHolder {
  std::string_view class_name;  // internal; unused if inherited
  std::optional<uint32_t> inherited_chunk = std::nullopt;
};

// Site i of `found` has the number first + i in the holder.
void EmitSiteProbes(const std::vector<FoundSite>& found, const SiteHolder& holder, ProbeForm form,
                    uint32_t first, classfile::MethodEditor& editor);

// The bytes of each site's probe, with any holder and number; for inherited members the
// maximum. `editor` must not be used afterwards.
std::vector<uint32_t> SiteProbeLengths(const std::vector<FoundSite>& found, bool inherited,
                                       classfile::MethodEditor& editor);

}  // namespace iprof::instrument
