#include "writer/profile/io/profile_events.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <iterator>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "writer/base/open_file.h"
#include "writer/profile/io/json_scanner.h"

namespace iprof {
namespace {

constexpr size_t kMaxUnknownKeys = 65536;
constexpr char kEmpty[] =
    "it is empty. Record it again; if a raw file (.iraw) is beside it, 'iprof recover' makes the "
    "profile";

std::optional<Table> TableOfKey(std::string_view key) {
  if (key == "instanceofProfiles") return Table::kInstanceOfs;  // the schema's spelling
  for (const Table table : kAllTables) {
    if (key == TableKey(table)) return table;
  }
  return {};
}

// Parses one file. Every function returns whether to continue. If not, either the scanner failed or
// a handler asked to stop.
class Parser {
 public:
  Parser(ByteSource& source, std::string_view name, ProfileEvents& events)
      : name_(name), events_(events), root_(source, name, place_, 0) {
    in_ = &root_;
  }

  Status Run() {
    if (ParseRoot()) {
      const bool has_any =
          std::any_of(std::begin(seen_) + kTypes, std::end(seen_), [](bool seen) { return seen; });
      if (!has_any) {
        not_a_profile_ = "it is a JSON object without types, methods and tables";
      } else if (ParseHeldBack()) {
        ReportMissing();
      }
    }
    if (not_a_profile_ != nullptr) {
      return Status(Code::kBadInput,
                    std::string(name_) + ": not an iprof profile: " + not_a_profile_);
    }
    return root_.status().ok() ? held_back_status_ : root_.status();
  }

 private:
  enum Section : uint8_t { kVersion, kTypes, kMethods, kFirstTable };
  struct HeldBack {
    std::string key;
    std::string json;
    uint64_t offset;
  };

  bool ParseRoot() {
    if (in_->Peek() != '{') {
      // Unless the input itself is damaged.
      if (in_->status().ok())
        not_a_profile_ = in_->Peek() == '\0' ? kEmpty : "it is no JSON object";
      return in_->Fail("one JSON object");
    }
    in_->Consume('{');
    if (!in_->Consume('}')) {
      do {
        place_ = {};
        if (in_->Peek() != '"') return in_->Fail("a key in quotes");
        const uint64_t key_offset = in_->offset();
        std::string_view key_view;
        if (!in_->ReadString(&key_view)) return false;
        std::string key(key_view);
        place_.section = key;
        if (!in_->Expect(':', "':' after a key")) return false;
        if (!ParseTopLevel(key, key_offset)) return false;
        place_ = {};
      } while (in_->Consume(','));
      if (!in_->Expect('}', "',' or '}'")) return false;
    }
    return in_->ExpectEnd();
  }

  bool ParseTopLevel(const std::string& key, uint64_t key_offset) {
    in_->Peek();
    if (key == "version") return First(kVersion, key_offset) ? ParseVersion() : Repeated();
    if (key == "types") return First(kTypes, key_offset) ? ParseTypes() : Repeated();
    const std::optional<Table> table = TableOfKey(key);
    if (key == "methods" || table) {
      const size_t section = table ? kFirstTable + static_cast<size_t>(*table) : size_t{kMethods};
      if (!First(section, key_offset)) return Repeated();
      const bool ready = seen_[kTypes] && (!table || seen_[kMethods]) && held_back_.empty();
      if (!ready) {
        held_back_.push_back({key, {}, in_->offset()});
        return in_->SkipValue(&held_back_.back().json);
      }
      return table ? ParseTable(*table, key) : ParseMethods();
    }
    if (!unknown_keys_.insert(key).second) {
      place_.offset = key_offset;
      return Repeated();
    }
    if (unknown_keys_.size() > kMaxUnknownKeys) return in_->Fail("at most 65536 unknown keys");
    place_.offset = in_->offset();
    std::string json;
    return in_->SkipValue(&json) && events_.OnUnknownKey(key, json, place_);
  }

  bool ParseHeldBack() {
    const auto parse = [&](const HeldBack& held) {
      StringSource text(held.json);
      place_ = {};
      place_.section = held.key;
      JsonScanner scanner(text, name_, place_, held.offset);
      in_ = &scanner;
      const std::optional<Table> table = TableOfKey(held.key);
      const bool ok = table ? ParseTable(*table, held.key) : ParseMethods();
      held_back_status_ = scanner.status();
      in_ = &root_;
      place_ = {};
      return ok;
    };
    for (const HeldBack& held : held_back_) {
      if (held.key == "methods" && !parse(held)) return false;
    }
    for (const HeldBack& held : held_back_) {
      if (held.key != "methods" && !parse(held)) return false;
    }
    return true;
  }

  void ReportMissing() {
    static constexpr std::pair<Section, const char*> kRequired[] = {
        {kVersion, "the key version"}, {kTypes, "the key types"}, {kMethods, "the key methods"}};
    for (const auto& [section, expected] : kRequired) {
      if (!seen_[section] && !events_.OnViolation({Place{}, "none", expected})) return;
    }
  }

  // Whether the section has not been seen before.
  bool First(size_t section, uint64_t key_offset) {
    place_.offset = key_offset;
    return !std::exchange(seen_[section], true);
  }
  bool Repeated() {
    const Place place = place_;
    return in_->SkipValue() &&
           events_.OnViolation({place, "the key a second time", "each key once"});
  }

  // Reports and skips a value of the wrong kind.
  bool Wrong(const char* expected) {
    Violation violation{place_, in_->Preview(), expected};
    violation.place.offset = in_->offset();
    return in_->SkipValue() && events_.OnViolation(violation);
  }
  bool Violate(uint64_t offset, std::string found, const char* expected) {
    Violation violation{place_, std::move(found), expected};
    violation.place.offset = offset;
    return events_.OnViolation(violation);
  }

  bool ParseVersion() {
    if (in_->Peek() != '"') return Wrong("a string");
    place_.offset = in_->offset();
    std::string_view version;
    return in_->ReadString(&version) && events_.OnVersion(version, place_);
  }

  // An array whose elements parse_element handles; place_.index counts them.
  template <typename ParseElement>
  bool ParseArray(ParseElement parse_element) {
    if (in_->Peek() != '[') return Wrong("an array");
    in_->Consume('[');
    place_.index = 0;
    if (in_->Consume(']')) return true;
    do {
      place_.member = {};
      place_.member_index = -1;
      if (in_->Peek() != '{') {
        if (!Wrong("an object")) return false;
      } else if (!parse_element()) {
        return false;
      }
      ++place_.index;
    } while (in_->Consume(','));
    return in_->Expect(']', "',' or ']'");
  }

  // Parses the members of one object. parse_member(key) parses the value if it knows the key, and
  // returns which of `names` it is; unknown and repeated members are reported here. `seen` gets one
  // bit for each of `names`.
  template <size_t kNames, typename ParseMember>
  bool ParseObject(const KeySpelling (&keys)[kNames], ParseMember parse_member) {
    const uint64_t object_offset = in_->offset();
    in_->Consume('{');
    unsigned seen = 0;
    size_t expected = 0;  // members mostly come in the order of `keys`
    if (!in_->Consume('}')) {
      do {
        place_.member = {};
        place_.member_index = -1;
        place_.offset = in_->offset();
        size_t which = expected;
        if (which < kNames && in_->ConsumeKey(keys[which])) {
          place_.member = keys[which].key();
        } else if (!ParseMemberKey(keys, kNames, &which)) {
          return false;
        }
        expected = which + 1;
        in_->Peek();
        if (which == kNames) {
          const Place place = place_;
          if (!in_->SkipValue() || !events_.OnUnknownMember(member_scratch_, place)) return false;
        } else if ((seen >> which & 1u) != 0) {
          if (!Repeated()) return false;
        } else {
          seen |= 1u << which;
          if (!parse_member(which)) return false;
        }
      } while (in_->Consume(','));
      if (!in_->Expect('}', "',' or '}'")) return false;
    }
    place_.member = {};
    place_.member_index = -1;
    for (size_t i = 0; i < kNames; ++i) {
      if ((seen >> i & 1u) == 0) {
        element_ok_ = false;
        if (!Violate(object_offset, "no member " + std::string(keys[i].key()), "this member"))
          return false;
      }
    }
    return true;
  }

  // Reads the key of the next member, in any spelling, and the colon. *which is its index in
  // `keys`, or `count` for another key, which is then in member_scratch_.
  bool ParseMemberKey(const KeySpelling* keys, size_t count, size_t* which) {
    if (in_->Peek() != '"') return in_->Fail("a key in quotes");
    place_.offset = in_->offset();
    std::string_view key;
    if (!in_->ReadString(&key)) return false;
    *which = 0;
    while (*which < count && keys[*which].key() != key) ++*which;
    if (*which == count) {
      member_scratch_ = key.substr(0, 200);
      place_.member = member_scratch_;
    } else {
      place_.member = keys[*which].key();
    }
    return in_->Expect(':', "':' after a key");
  }

  // Reads an integer. Skips any other value and sets *ok to false.
  bool ParseInteger(int64_t* value, bool* ok) {
    const char first = in_->Peek();
    if (first != '-' && (first < '0' || first > '9')) {
      *ok = false;
      return Wrong("an integer");
    }
    const uint64_t offset = in_->offset();
    switch (in_->ReadInteger(value)) {
      case JsonScanner::Number::kInteger:
        return true;
      case JsonScanner::Number::kFailed:
        return false;
      case JsonScanner::Number::kTooLarge:
        *ok = false;
        return Violate(offset, in_->number_text(), "an integer of 64 bits");
      case JsonScanner::Number::kFraction:
        *ok = false;
        return Violate(offset, in_->number_text(), "an integer");
    }
    return false;
  }

  bool ParseIntegers(std::vector<int64_t>* values, bool* ok) {
    values->clear();
    if (in_->Peek() != '[') {
      *ok = false;
      return Wrong("an array of integers");
    }
    in_->Consume('[');
    if (in_->Consume(']')) return true;
    do {
      in_->ReadPlainIntegers(values);
      place_.member_index = static_cast<int64_t>(values->size());
      int64_t value = 0;
      if (!ParseInteger(&value, ok)) return false;
      values->push_back(value);
    } while (in_->Consume(','));
    place_.member_index = -1;
    return in_->Expect(']', "',' or ']'");
  }

  bool ParseName() {
    if (in_->Peek() != '"') {
      element_ok_ = false;
      return Wrong("a string");
    }
    const uint64_t offset = in_->offset();
    std::string_view text;
    if (!in_->ReadString(&text)) return false;
    if (text.size() > kMaxNameBytes) {
      element_ok_ = false;
      return Violate(offset, "a name of " + std::to_string(text.size()) + " bytes",
                     "at most 65535, as in a class file");
    }
    name_scratch_ = text;
    return true;
  }

  bool ParseSignature() {
    const uint64_t offset = in_->offset();
    if (!ParseIntegers(&values_, &element_ok_)) return false;
    if (values_.size() <= kMaxSignatureIds) return true;
    element_ok_ = false;
    return Violate(offset, std::to_string(values_.size()) + " type ids",
                   "at most 257: the declaring type, the return type and 255 parameters");
  }

  bool ParseTypes() {
    static constexpr KeySpelling kKeys[] = {KeySpelling("\"id\":"), KeySpelling("\"name\":")};
    return ParseArray([&] {
      TypeDecl type{};
      const uint64_t offset = in_->offset();
      element_ok_ = true;
      const bool go_on = ParseObject(kKeys, [&](size_t which) {
        return which == 0 ? ParseInteger(&type.id, &element_ok_) : ParseName();
      });
      if (!go_on || !element_ok_) return go_on;
      place_.offset = offset;
      type.name = name_scratch_;
      type.place = place_;
      return events_.OnType(type);
    });
  }

  bool ParseMethods() {
    static constexpr KeySpelling kKeys[] = {KeySpelling("\"id\":"), KeySpelling("\"name\":"),
                                            KeySpelling("\"signature\":")};
    return ParseArray([&] {
      MethodDecl method{};
      const uint64_t offset = in_->offset();
      element_ok_ = true;
      const bool go_on = ParseObject(kKeys, [&](size_t which) {
        if (which == 0) return ParseInteger(&method.id, &element_ok_);
        return which == 1 ? ParseName() : ParseSignature();
      });
      if (!go_on || !element_ok_) return go_on;
      place_.offset = offset;
      method.name = name_scratch_;
      method.signature = values_;
      method.place = place_;
      return events_.OnMethod(method);
    });
  }

  bool ParseTable(Table table, std::string_view key) {
    static constexpr KeySpelling kKeys[] = {KeySpelling("\"ctx\":"), KeySpelling("\"records\":")};
    place_.offset = in_->offset();
    if (!events_.OnTable(table, key, place_)) return false;
    return ParseArray([&] {
      EntryDecl entry{};
      entry.table = table;
      const uint64_t offset = in_->offset();
      element_ok_ = true;
      frames_.clear();
      name_scratch_.clear();
      values_.clear();
      bool has_ctx = false;
      bool has_records = false;
      const bool go_on = ParseObject(kKeys, [&](size_t which) {
        if (which == 0) {
          has_ctx = true;
          entry.ctx_offset = in_->offset();
          return ParseCtx(&entry.ctx_ok);
        }
        has_records = true;
        entry.records_offset = in_->offset();
        return ParseIntegers(&values_, &entry.records_ok);
      });
      if (!go_on) return false;
      entry.ctx_ok = entry.ctx_ok && has_ctx;
      entry.records_ok = entry.records_ok && has_records;
      place_.offset = offset;
      entry.ctx = name_scratch_;
      entry.frames = frames_;
      entry.values = values_;
      entry.place = place_;
      return events_.OnEntry(entry);
    });
  }

  bool ParseCtx(bool* ok) {
    static constexpr const char* kExpected =
        "a context such as \"12:0<3:17\" (method:bci, callers to the right)";
    if (in_->Peek() != '"') {
      *ok = false;
      return Wrong(kExpected);
    }
    const uint64_t offset = in_->offset();
    std::string_view text;
    if (!in_->ReadString(&text)) return false;
    name_scratch_ = text;
    if (SplitCtx(name_scratch_)) return true;
    frames_.clear();
    *ok = false;
    return Violate(offset, ShortQuoted(name_scratch_), kExpected);
  }

  // Takes digits; false if there are none, or too many for 63 bits.
  static bool TakeDigits(const char** at, const char* end, int64_t* value) {
    const char* first = *at;
    uint64_t sum = 0;
    const char* q = first;
    for (; q != end && *q >= '0' && *q <= '9'; ++q)
      sum = sum * 10 + static_cast<uint64_t>(*q - '0');
    *at = q;
    *value = static_cast<int64_t>(sum);
    if (q - first <= 18) return q != first;
    return std::from_chars(first, q, *value).ec == std::errc();
  }

  bool SplitCtx(std::string_view text) {
    const char* at = text.data();
    const char* const end = at + text.size();
    for (;;) {
      RawFrame frame{};
      if (!TakeDigits(&at, end, &frame.method) || at == end || *at++ != ':') return false;
      const bool negative = at != end && *at == '-';
      if (negative) ++at;
      if (!TakeDigits(&at, end, &frame.bci)) return false;
      if (negative) frame.bci = -frame.bci;
      frames_.push_back(frame);
      if (at == end) return true;
      if (*at++ != '<') return false;
    }
  }

  std::string_view name_;
  ProfileEvents& events_;
  Place place_;
  JsonScanner root_;
  JsonScanner* in_;
  Status held_back_status_;
  const char* not_a_profile_ = nullptr;  // why, if the input is something else
  bool seen_[kFirstTable + kTableCount] = {};
  bool element_ok_ = true;
  std::set<std::string> unknown_keys_;
  std::vector<HeldBack> held_back_;
  std::vector<int64_t> values_;
  std::vector<RawFrame> frames_;
  std::string name_scratch_;
  std::string member_scratch_;
};

}  // namespace

Place CtxPlace(const EntryDecl& entry) {
  Place place = entry.place;
  place.offset = entry.ctx_offset;
  place.member = "ctx";
  return place;
}

Place RecordsPlace(const EntryDecl& entry, int64_t value_index) {
  Place place = entry.place;
  place.offset = entry.records_offset;
  place.member = "records";
  place.member_index = value_index;
  return place;
}

Status ParseProfile(ByteSource& source, std::string_view name, ProfileEvents& events) {
  const std::unique_ptr<ByteSource> plain = MakeGunzipSource(source, std::string(name));
  return Parser(*plain, name, events).Run();
}

Status ParseProfileFile(const std::string& path, ProfileEvents& events) {
  if (path == "-") {
    FdSource source(STDIN_FILENO, "standard input");
    return ParseProfile(source, "standard input", events);
  }
  const Result<OwnedFd> file = OpenFile(path, O_RDONLY, FileKind::kRegular);
  if (!file.ok()) return {file.status().code(), path + ": cannot open: " + file.status().message()};
  FdSource source(file->get(), path);
  return ParseProfile(source, path, events);
}

}  // namespace iprof
