#include "cli/files/fitness/moved_positions.h"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "agent/classfile/symbolic_code.h"
#include "writer/base/hash.h"
#include "writer/base/murmur3.h"

namespace iprof::fitness {
namespace {

using classfile::Insn;
using classfile::MethodCode;
using Tokens = std::vector<uint64_t>;

constexpr uint64_t kOutside = 1;  // before the start and behind the end

// What an instruction is, without its position and those that it goes to.
uint64_t TokenOf(const MethodCode& code, Insn insn) {
  const classfile::Op op = code.at(insn).op;
  uint64_t token = MixHash(static_cast<uint64_t>(op), code.at(insn).flags & classfile::kIsWide);
  if (classfile::IsSwitch(op)) {
    for (classfile::Slot slot = 1; slot < code.EndSlot(insn); ++slot)
      token = MixHash(token, static_cast<uint64_t>(uint32_t(code.SwitchKey(insn, slot))));
    return token;
  }
  if (classfile::NamesConstant(classfile::InfoOf(op).format)) {
    const auto constant = classfile::ReadConstant(code.file(), code.Constant(insn));
    if (!constant) return MixHash(token, reinterpret_cast<uintptr_t>(code.BytesOf(insn)));
    std::vector<uint8_t> bytes;
    classfile::SymbolicCode::Encode(*constant, code.file().name(), &bytes);
    return MixHash(token, Murmur3(bytes).low);
  }
  if (code.EndSlot(insn) > 1 || classfile::IsGoto(op)) return token;  // only targets
  for (uint32_t at = 1; at < code.LengthOf(insn); ++at)
    token = MixHash(token, code.BytesOf(insn)[at]);
  return token;
}

// With kMostAround more on each side.
Tokens TokensOf(const MethodCode& code) {
  Tokens tokens(MovedPositions::kMostAround, kOutside);
  for (Insn insn = 0; insn < code.count(); ++insn) tokens.push_back(TokenOf(code, insn));
  tokens.insert(tokens.end(), MovedPositions::kMostAround, kOutside);
  return tokens;
}

// Of each instruction, with `around` more on each side.
Tokens WindowsOf(const Tokens& tokens, uint32_t around) {
  Tokens windows;
  for (size_t at = MovedPositions::kMostAround; at + MovedPositions::kMostAround < tokens.size();
       ++at) {
    uint64_t window = around;
    for (size_t each = at - around; each <= at + around; ++each)
      window = MixHash(window, tokens[each]);
    windows.push_back(window);
  }
  return windows;
}

struct Places {
  uint32_t count = 0;
  Insn last = 0;
};
using PlacesOf = std::unordered_map<uint64_t, Places>;

PlacesOf Group(const Tokens& windows) {
  PlacesOf places;
  for (size_t insn = 0; insn < windows.size(); ++insn) {
    Places& place = places[windows[insn]];
    ++place.count;
    place.last = static_cast<Insn>(insn);
  }
  return places;
}

}  // namespace

MovedPositions::MovedPositions(const MethodCode& old_code, const MethodCode& new_code) {
  const Tokens old_tokens = TokensOf(old_code);
  const Tokens new_tokens = TokensOf(new_code);
  std::vector<Insn> open;
  for (Insn insn = 0; insn < old_code.count(); ++insn) open.push_back(insn);
  for (uint32_t around = kLeastAround; around <= kMostAround && !open.empty(); ++around) {
    const Tokens windows = WindowsOf(old_tokens, around);
    const PlacesOf olds = Group(windows);
    const PlacesOf news = Group(WindowsOf(new_tokens, around));
    std::vector<Insn> still_open;
    for (const Insn insn : open) {
      const auto found = news.find(windows[insn]);
      if (found == news.end()) continue;
      if (found->second.count > 1 || olds.at(windows[insn]).count > 1) {
        still_open.push_back(insn);
        continue;
      }
      moved_.emplace(static_cast<Bci>(old_code.OffsetOf(insn)),
                     static_cast<Bci>(new_code.OffsetOf(found->second.last)));
    }
    open = std::move(still_open);
  }
}

std::optional<Bci> MovedPositions::Find(Bci old_position) const {
  const auto found = moved_.find(old_position);
  if (found == moved_.end()) return std::nullopt;
  return found->second;
}

}  // namespace iprof::fitness
