#include "cli/files/class_notes.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <optional>
#include <vector>

#include "agent/classfile/code_tables.h"
#include "agent/classfile/symbolic_code.h"
#include "agent/instrument/table/code_hash.h"
#include "cli/classpath/class_path.h"
#include "cli/views/report/class_listings.h"
#include "writer/base/code_length.h"
#include "writer/base/grouped.h"
#include "writer/names/type_names.h"
#include "writer/profile/code_hashes.h"
#include "writer/profile/io/position_part.h"
#include "writer/profile/io/run_note.h"
#include "writer/records/method_lines.h"

namespace iprof::cli {
namespace {

// The newest JDK, for profiles that do not name theirs.
constexpr int kNewestRelease = 25;

class NoteReader {
 public:
  NoteReader(const classpath::ClassPath& classes, Profile& profile)
      : classes_(classes), profile_(profile) {}

  Status Run() {
    std::map<TypeIndex, std::map<MethodIndex, std::vector<ProfilePosition>>> wanted;
    for (const ProfilePosition& position : PositionsOf(profile_)) {
      const PositionNotes& notes = profile_.notes();
      const Frame frame = position.frame;
      if (CodeLengthIn(profile_.CodeHash(frame.method)) != 0 &&
          notes.LineOf(frame.method, frame.bci) &&
          (!position.is_call || !notes.CalleeOf(frame.method, frame.bci).empty()))
        continue;
      wanted[profile_.DeclaringType(frame.method)][frame.method].push_back(position);
    }
    for (const auto& [type, methods] : wanted) {
      const auto found = classes_.Find(profile_.TypeName(type));
      if (!found.ok()) return found.status();
      if (*found) ReadClass(type, (*found)->bytes, methods);
    }
    return {};
  }

  size_t methods_with_other_code() const { return methods_with_other_code_; }

 private:
  void ReadClass(TypeIndex type, const classpath::Bytes& bytes,
                 const std::map<MethodIndex, std::vector<ProfilePosition>>& methods) {
    classfile::ClassFile file;
    if (file.Parse(bytes, class_memory_) == classfile::Reason::kOk) {
      for (const classfile::MemberInfo& member : file.methods()) {
        const auto method =
            report::FindMethod(profile_, type, file.NameOf(member), file.DescriptorOf(member));
        if (!method || member.code_offset == 0) continue;
        const auto positions = methods.find(*method);
        if (positions != methods.end()) ReadMethod(file, member, *method, positions->second);
      }
    }
    class_memory_.Reset();
  }

  void ReadMethod(const classfile::ClassFile& file, const classfile::MemberInfo& member,
                  MethodIndex method, const std::vector<ProfilePosition>& positions) {
    classfile::MethodCode code;
    if (code.Decode(file, member, method_memory_) == classfile::Reason::kOk) {
      if (HasOtherCode(code, method)) {
        ++methods_with_other_code_;
      } else {
        profile_.SetCodeHash(method, instrument::CodeHash(code, symbolic_));
        AddNotes(file, code, positions);
      }
    }
    method_memory_.Reset();
  }

  bool HasOtherCode(const classfile::MethodCode& code, MethodIndex method) {
    const uint64_t recorded = profile_.CodeHash(method);
    return recorded != 0 &&
           !IsSameCode(KeptCodeHash(instrument::CodeHash(code, symbolic_)), recorded);
  }

  void AddNotes(const classfile::ClassFile& file, const classfile::MethodCode& code,
                const std::vector<ProfilePosition>& positions) {
    std::vector<LineStart> starts;
    classfile::ReadLines(code, [&](uint32_t bci, uint32_t line) { starts.push_back({bci, line}); });
    std::stable_sort(starts.begin(), starts.end(),
                     [](const LineStart& a, const LineStart& b) { return a.bci < b.bci; });
    PositionNotes& notes = profile_.notes();
    for (const auto& [frame, is_call] : positions) {
      const auto bci = static_cast<uint32_t>(frame.bci);
      const auto after =
          std::upper_bound(starts.begin(), starts.end(), bci,
                           [](uint32_t at, const LineStart& start) { return at < start.bci; });
      if (frame.bci >= 0 && after != starts.begin())
        notes.SetLine(frame.method, frame.bci, static_cast<int32_t>(std::prev(after)->line));
      const classfile::Insn call = is_call ? code.IndexAt(bci) : classfile::MethodCode::kNone;
      if (call != classfile::MethodCode::kNone && IsCall(code.at(call).op))
        AddCallee(file, code, call, frame);
    }
  }

  static bool IsCall(classfile::Op op) {
    return op == classfile::Op::invokevirtual || op == classfile::Op::invokeinterface;
  }

  void AddCallee(const classfile::ClassFile& file, const classfile::MethodCode& code,
                 classfile::Insn call, Frame frame) {
    const auto member = code.Member(call);
    if (!member) return;
    std::string name = ToUtf8(file.pool().ClassName(member->owner));
    std::replace(name.begin(), name.end(), '/', '.');
    profile_.notes().SetCallee(frame.method, frame.bci, name + "." + ToUtf8(member->name));
  }

  const classpath::ClassPath& classes_;
  Profile& profile_;
  classfile::Arena class_memory_;
  classfile::Arena method_memory_;
  classfile::SymbolicCode symbolic_;
  size_t methods_with_other_code_ = 0;
};

int ReleaseOf(const Profile& profile) {
  int release = 0;
  for (const RunNote& run : RunList::Of(profile).Runs())
    release = std::max(release, classpath::FeatureRelease(run.jvm_version));
  return release == 0 ? kNewestRelease : release;
}

}  // namespace

Result<classpath::ClassPath> OpenClasses(const Profile& profile, const std::string& class_path,
                                         const std::string& jdk_home) {
  return classpath::OpenClassPath(class_path, jdk_home, ReleaseOf(profile));
}

void ClassFileOptions::AddTo(OptionList& options) {
  options
      .Add("--classes", classes_,
           "Take source lines that the profile lacks from these jars and folders, joined by ':'; "
           "'FOLDER/*' is all jars of a folder")
      .Takes("FILE");
  options.Add("--jdk", jdk_, "Take source lines of the JDK's classes from the JDK in this folder")
      .Takes("DIR");
}

Result<classpath::ClassPath> ClassFileOptions::Open(const Profile& profile) const {
  return OpenClasses(profile, classes_, jdk_);
}

Status ClassFileOptions::AddNotes(Console& console, Profile& profile) const {
  if (!given()) return {};
  const auto classes = Open(profile);
  if (!classes.ok()) return classes.status();
  NoteReader reader(*classes, profile);
  if (Status status = reader.Run(); !status.ok()) return status;
  if (const size_t others = reader.methods_with_other_code(); others > 0) {
    console.Warn(
        fmt::format("{} other code in these class files than in the profile, so no lines are shown "
                    "there",
                    Counted(others, "method has", "methods have")));
  }
  return {};
}

}  // namespace iprof::cli
