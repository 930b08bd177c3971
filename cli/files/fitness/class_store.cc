#include "cli/files/fitness/class_store.h"

#include <algorithm>
#include <set>
#include <vector>

#include "agent/classfile/reason.h"
#include "agent/instrument/table/code_hash.h"
#include "writer/names/type_names.h"
#include "writer/profile/code_hashes.h"

namespace iprof::fitness {
namespace {

using classfile::Op;

// A class constant's name, "java/lang/String" or "[I", as a profile spells it.
std::string ProfileNameOf(std::string_view internal_name) {
  if (internal_name.empty()) return {};
  const std::string descriptor = internal_name.starts_with('[')
                                     ? std::string(internal_name)
                                     : "L" + std::string(internal_name) + ";";
  return ToUtf8(TypeNameOf(Descriptor(descriptor)).value_or(""));
}

std::string KeyOf(std::string_view name, const std::vector<std::string>& types) {
  std::string key = ToUtf8(name);
  for (const std::string& type : types) key.append(" ").append(ToUtf8(type));
  return key;
}

SiteKind KindOf(Op op) {
  if (classfile::IsConditionalBranch(op)) return SiteKind::kIf;
  if (classfile::IsSwitch(op)) return SiteKind::kSwitch;
  switch (op) {
    case Op::invokevirtual:
    case Op::invokeinterface:
    case Op::invokespecial:
      return SiteKind::kReceiverCall;
    case Op::invokestatic:
    case Op::invokedynamic:
      return SiteKind::kOtherCall;
    case Op:: instanceof:
    case Op::checkcast:
    case Op::aastore:  // checks the element; HotSpot counts the classes
      return SiteKind::kTypeCheck;
    default:
      return SiteKind::kOther;
  }
}

constexpr std::string_view kObject = "java.lang.Object";
constexpr std::string_view kOfArrays[] = {kObject, "java.lang.Cloneable", "java.io.Serializable"};

// Whether a class belongs to a JDK, judged by its name.
bool LooksLikeJdk(std::string_view name) {
  constexpr std::string_view kPackages[] = {
      "java.",        "javax.",    "jdk.",         "sun.",           "com.sun.",
      "org.xml.sax.", "netscape.", "org.w3c.dom.", "org.ietf.jgss.", "org.jcp.xml."};
  return std::any_of(std::begin(kPackages), std::end(kPackages),
                     [&](std::string_view package) { return name.starts_with(package); });
}

}  // namespace

StoredClass& ClassStore::Find(std::string_view name) {
  const auto [at, is_new] = stored_.try_emplace(std::string(name));
  StoredClass& stored = at->second;
  if (!is_new) return stored;
  auto found = classes_.Find(name);
  if (found.ok() && *found) {
    auto loaded = LoadedClass::Load(std::move((*found)->bytes));
    if (loaded.ok()) {
      stored.state = ClassState::kFound;
      stored.loaded = std::move(*loaded);
    } else {
      stored.state = ClassState::kUnreadable;
      stored.problem = std::string((*found)->place) + ": " + loaded.status().message();
    }
  } else if (!found.ok()) {
    stored.state = ClassState::kUnreadable;
    stored.problem = found.status().message();
  } else {
    const bool is_asked = LooksLikeJdk(name) ? classes_.has_jdk() : has_application_;
    stored.state = is_asked ? ClassState::kMissing : ClassState::kNotAsked;
  }
  return stored;
}

Subtype ClassStore::IsSubtype(const std::string& name, const std::string& of) {
  if (name == of || of == kObject) return Subtype::kYes;
  if (name.starts_with('[')) {
    if (of.starts_with('[')) return Subtype::kUnknown;
    const bool is_of_arrays =
        std::find(std::begin(kOfArrays), std::end(kOfArrays), of) != std::end(kOfArrays);
    return is_of_arrays ? Subtype::kYes : Subtype::kNo;
  }
  const auto [at, is_new] = subtypes_.try_emplace({name, of}, Subtype::kUnknown);
  if (is_new) at->second = WalkSupertypes(name, of);
  return at->second;
}

Subtype ClassStore::WalkSupertypes(const std::string& name, const std::string& of) {
  std::vector<std::string> waiting{name};
  std::set<std::string> seen;  // class files may form circles
  bool is_complete = true;
  while (!waiting.empty()) {
    const std::string next = std::move(waiting.back());
    waiting.pop_back();
    if (next.empty() || !seen.insert(next).second) continue;
    if (next == of) return Subtype::kYes;
    const StoredClass& stored = Find(next);
    if (stored.state != ClassState::kFound) {
      is_complete = false;
      continue;
    }
    waiting.push_back(stored.loaded->super_name());
    for (std::string& each : stored.loaded->interface_names()) waiting.push_back(std::move(each));
  }
  return is_complete ? Subtype::kNo : Subtype::kUnknown;
}

const classfile::MethodCode* LoadedMethod::Code() {
  if (!is_decoded_) {
    is_decoded_ = true;
    code_.emplace();
    if (!has_code() || code_->Decode(*file_, *member_, *arena_) != classfile::Reason::kOk) {
      code_.reset();
    }
  }
  return code_ ? &*code_ : nullptr;
}

uint64_t LoadedMethod::CodeHash() {
  const auto* const code = Code();
  if (code == nullptr) return 0;
  classfile::SymbolicCode scratch;
  return KeptCodeHash(instrument::CodeHash(*code, scratch));
}

Site LoadedMethod::SiteAt(Bci bci) {
  const auto* const code = Code();
  Site site;
  if (code == nullptr || bci < 0) return site;
  const classfile::Insn insn = code->IndexAt(static_cast<uint32_t>(bci));
  if (insn == classfile::MethodCode::kNone) return site;
  const Op op = code->at(insn).op;
  site.kind = KindOf(op);
  site.mnemonic = classfile::OpName(op);
  if (site.kind == SiteKind::kIf || site.kind == SiteKind::kSwitch) {
    for (classfile::Slot slot = code->FirstSlot(insn); slot < code->EndSlot(insn); ++slot) {
      const classfile::Insn target = code->Successor(insn, slot);
      if (target != classfile::MethodCode::kNone) site.targets.push_back(code->OffsetOf(target));
    }
  } else if (site.kind == SiteKind::kReceiverCall) {
    const auto member = code->Member(insn);
    if (member) site.owner = ProfileNameOf(file_->pool().ClassName(member->owner));
  }
  return site;
}

Result<std::unique_ptr<LoadedClass>> LoadedClass::Load(std::vector<uint8_t> bytes) {
  std::unique_ptr<LoadedClass> loaded(new LoadedClass(std::move(bytes)));
  const classfile::Reason reason = loaded->file_.Parse(loaded->bytes_, loaded->arena_);
  if (reason != classfile::Reason::kOk) {
    return Status(Code::kBadInput, classfile::ReasonText(reason));
  }
  const classfile::ClassFile& file = loaded->file_;
  for (const classfile::MemberInfo& member : file.methods()) {
    const auto types = SignatureOf(file.DescriptorOf(member));
    if (!types) continue;
    loaded->methods_.try_emplace(KeyOf(file.NameOf(member), *types), file, member, loaded->arena_);
  }
  return loaded;
}

std::string LoadedClass::super_name() const { return ProfileNameOf(file_.super_name()); }

std::vector<std::string> LoadedClass::interface_names() const {
  std::vector<std::string> names;
  for (const classfile::CpIndex index : file_.interfaces()) {
    names.push_back(ProfileNameOf(file_.pool().ClassName(index)));
  }
  return names;
}

LoadedMethod* LoadedClass::Find(const std::string& key) {
  const auto found = methods_.find(key);
  return found == methods_.end() ? nullptr : &found->second;
}

std::string MethodKeyOf(const Profile& profile, MethodIndex method) {
  std::string key(profile.MethodName(method));
  for (const TypeIndex type : profile.Signature(method).subspan(1)) {
    key.append(" ").append(profile.TypeName(type));
  }
  return key;
}

}  // namespace iprof::fitness
