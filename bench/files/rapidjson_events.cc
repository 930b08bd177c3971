#include "bench/files/rapidjson_events.h"

#include <rapidjson/error/en.h>
#include <rapidjson/reader.h>

#include <charconv>
#include <cstdlib>
#include <memory>
#include <new>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "bench/files/rapidjson_stream.h"

namespace iprof {
namespace {

// RapidJSON does not check the result of its allocator, so this one must not return null.
class ThrowingAllocator {
 public:
  [[maybe_unused]] static constexpr bool kNeedFree = true;
  void* Malloc(size_t size) { return size == 0 ? nullptr : Checked(std::malloc(size)); }
  void* Realloc(void* old, size_t, size_t size) {
    if (size != 0) return Checked(std::realloc(old, size));
    std::free(old);
    return nullptr;
  }
  static void Free(void* memory) { std::free(memory); }

 private:
  static void* Checked(void* memory) {
    if (memory == nullptr) throw std::bad_alloc();
    return memory;
  }
};

using Reader = rapidjson::GenericReader<rapidjson::UTF8<>, rapidjson::UTF8<>, ThrowingAllocator>;
constexpr unsigned kParseFlags =
    rapidjson::kParseIterativeFlag | rapidjson::kParseValidateEncodingFlag;

constexpr size_t kMaxUnknownKeys = 65536;

std::optional<Table> TableOfKey(std::string_view key) {
  if (key == "instanceofProfiles") return Table::kInstanceOfs;  // the schema's spelling
  for (const Table table : kAllTables) {
    if (key == TableKey(table)) return table;
  }
  return {};
}

// "12:0<3:17"
bool SplitContext(std::string_view text, std::vector<RawFrame>* frames) {
  const char* at = text.data();
  const char* const end = at + text.size();
  const auto take = [&](int64_t* value) {
    const char* const first = at;
    const auto parsed = std::from_chars(first, end, *value);
    at = parsed.ptr;
    return parsed.ec == std::errc();
  };
  frames->clear();
  for (;;) {
    RawFrame frame{};
    if (at == end || *at == '-' || !take(&frame.method) || at == end || *at++ != ':') return false;
    if (!take(&frame.bci)) return false;
    frames->push_back(frame);
    if (at == end) return true;
    if (*at++ != '<') return false;
  }
}

// Turns tokens into events. RapidJSON pushes tokens, so the position of the parse is a state.
class EventHandler {
 public:
  EventHandler(std::string_view name, ProfileEvents& events) : name_(name), events_(events) {}

  Status Run(ByteSource& source) {
    Status status = Parse(source, 0, State::kStart);
    for (const bool methods : {true, false}) {
      for (size_t i = 0; status.ok() && !stopped_ && i < held_back_.size(); ++i) {
        if ((held_back_[i].key == "methods") != methods) continue;
        StringSource text(held_back_[i].json);
        BeginSection(held_back_[i].key);
        status = Parse(text, held_back_[i].offset, State::kSection);
      }
    }
    if (status.ok() && !stopped_) ReportMissing();
    return status;
  }

  // --- RapidJSON's handler.
  bool Null() { return Scalar(); }
  bool Bool(bool) { return Scalar(); }
  bool Int(int value) { return Integer(value); }
  bool Uint(unsigned value) { return Integer(int64_t{value}); }
  bool Int64(int64_t value) { return Integer(value); }
  bool Uint64(uint64_t value) {
    return value <= INT64_MAX ? Integer(static_cast<int64_t>(value)) : Scalar();
  }
  bool Double(double) { return Scalar(); }
  bool RawNumber(const char*, rapidjson::SizeType, bool) { return Scalar(); }

  bool String(const char* text, rapidjson::SizeType size, bool) {
    const std::string_view value(text, size);
    switch (state_) {
      case State::kSection:
        if (section_ != Section::kVersion) return Scalar();
        place_.offset = Offset() - size - 2;
        state_ = State::kRoot;
        return events_.OnVersion(value, place_) || Stop();
      case State::kMember:
        return StringMember(value);
      default:
        return Scalar();
    }
  }

  bool Key(const char* text, rapidjson::SizeType size, bool) {
    const std::string_view key(text, size);
    if (state_ == State::kSkip) return true;
    return state_ == State::kRoot ? TopLevelKey(key) : MemberKey(key);
  }

  bool StartObject() {
    switch (state_) {
      case State::kStart:
        state_ = State::kRoot;
        return true;
      case State::kElements:
        BeginElement();
        return true;
      default:
        return StartOther();
    }
  }
  bool EndObject(rapidjson::SizeType) {
    if (state_ == State::kSkip) return EndSkipped('}');
    if (state_ == State::kRoot) {
      state_ = State::kEnd;
      return true;
    }
    return EndElement();
  }
  bool StartArray() {
    if (state_ == State::kSection && section_ != Section::kVersion) {
      state_ = State::kElements;
      place_.offset = Offset();
      if (table_ && !events_.OnTable(*table_, place_.section, place_)) return Stop();
      place_.index = 0;
      return true;
    }
    const bool integers =
        state_ == State::kMember && (member_ == Member::kSignature || member_ == Member::kRecords);
    if (!integers) return StartOther();
    values_.clear();
    if (member_ == Member::kRecords) records_offset_ = Offset();
    state_ = State::kIntegers;
    return true;
  }
  bool EndArray(rapidjson::SizeType) {
    switch (state_) {
      case State::kElements:
        place_ = {};
        state_ = State::kRoot;
        return true;
      case State::kIntegers:
        state_ = State::kElement;
        return member_ != Member::kSignature || values_.size() <= kMaxSignatureIds ||
               Violate("at most 257: the declaring type, the return type and 255 parameters");
      default:
        return EndSkipped(']');
    }
  }

 private:
  enum class State : uint8_t {
    kStart,     // before the root object
    kRoot,      // in it, before a key
    kSection,   // before the value of a section
    kElements,  // in its array
    kElement,   // in an element, before a key
    kMember,    // before a member's value
    kIntegers,  // in the array of one
    kSkip,      // in or before a value that is skipped
    kEnd,
  };
  enum class Section : uint8_t { kVersion, kTypes, kMethods, kTable };
  enum class Capture : uint8_t { kNone, kUnknown, kHeldBack };
  enum class Member : uint8_t { kId, kName, kSignature, kContext, kRecords };
  struct HeldBack {
    std::string key;
    std::string json;
    uint64_t offset;
  };

  Status Parse(ByteSource& source, uint64_t base_offset, State state) {
    RapidJsonStream stream(source, base_offset);
    stream_ = &stream;
    state_ = state;
    Reader reader;
    reader.Parse<kParseFlags>(stream, *this);
    if (!stream.status().ok()) return stream.status();
    if (stopped_) return status_;
    if (!reader.HasParseError() && stream.AtEnd()) return {};
    Violation violation{place_, {}, "JSON"};
    violation.place.offset = reader.HasParseError() ? reader.GetErrorOffset() : stream.Tell();
    violation.found = reader.HasParseError()
                          ? rapidjson::GetParseError_En(reader.GetParseErrorCode())
                          : "a zero byte";
    return {Code::kBadInput, FormatViolation(name_, violation)};
  }

  uint64_t Offset() const { return stream_->Tell(); }
  bool Stop() {
    stopped_ = true;
    return false;
  }
  bool Fail(Code code, const char* found, const char* expected) {
    Violation violation{place_, found, expected};
    violation.place.offset = Offset();
    status_ = Status(code, FormatViolation(name_, violation));
    return Stop();
  }
  bool Violate(const char* expected) {
    element_ok_ = false;
    Violation violation{place_, "something else", expected};
    violation.place.offset = Offset();
    return events_.OnViolation(violation) || Stop();
  }

  // --- Values that no rule of the format expects.
  bool Scalar() {
    if (state_ == State::kSkip && depth_ > 0) return true;
    return Unexpected() && (state_ != State::kSkip || EndValue());
  }
  bool StartOther() {
    if (!Unexpected()) return false;
    if (state_ != State::kSkip) {
      after_skip_ = state_;
      state_ = State::kSkip;
    }
    return ++depth_ <= kMaxNesting || Fail(Code::kLimit, "deeper nesting", "at most 256 levels");
  }
  // Returns whether to continue. If the value ends a member or section, the state is that after it.
  bool Unexpected() {
    switch (state_) {
      case State::kStart:
        return Fail(Code::kBadInput, "another value", "an iprof: one JSON object");
      case State::kSection:
        state_ = State::kRoot;
        return Violate("the section's kind of value");
      case State::kMember:
        state_ = State::kElement;
        return Violate("the member's kind of value");
      case State::kElements:
        ++place_.index;
        return Violate("an object");
      case State::kIntegers:
        return Violate("an integer");
      default:
        return true;
    }
  }
  // RapidJSON takes the closing bracket only after it has called the handler.
  bool EndSkipped(char bracket) { return --depth_ > 0 || EndValue(std::string_view(&bracket, 1)); }
  // Called after a skipped value; `rest` is the part of it that has not been consumed.
  bool EndValue(std::string_view rest = {}) {
    state_ = after_skip_;
    const Capture captured = std::exchange(capture_, Capture::kNone);
    if (captured == Capture::kNone) return true;
    const std::string text = stream_->TakeCapture().append(rest);
    const size_t begin = text.find_first_not_of(": \t\r\n");
    std::string json = text.substr(begin);
    const uint64_t offset = capture_offset_ + begin;
    if (captured == Capture::kHeldBack) {
      held_back_.push_back({key_, std::move(json), offset});
      return true;
    }
    place_.offset = offset;
    return events_.OnUnknownKey(key_, json, place_) || Stop();
  }

  // --- The root object.
  bool TopLevelKey(std::string_view key) {
    key_ = key;
    place_ = {};
    place_.section = key_;
    place_.offset = Offset();
    const std::optional<Table> table = TableOfKey(key);
    const bool ours = table || key == "version" || key == "types" || key == "methods";
    const bool is_new = ours ? seen_.insert(key_).second : unknown_.insert(key_).second;
    if (!is_new) return Violate("each key once") && Skip(Capture::kNone);
    if (!ours) {
      if (unknown_.size() > kMaxUnknownKeys)
        return Fail(Code::kLimit, "more", "65536 unknown keys");
      return Skip(Capture::kUnknown);
    }
    const bool needs_types = table || key == "methods";
    const bool ready = !needs_types || (seen_.contains("types") && held_back_.empty() &&
                                        (!table || seen_.contains("methods")));
    if (!ready) return Skip(Capture::kHeldBack);
    BeginSection(key_);
    return true;
  }
  void BeginSection(const std::string& key) {
    key_ = key;
    place_ = {};
    place_.section = key_;
    place_.offset = Offset();
    table_ = TableOfKey(key);
    section_ = table_             ? Section::kTable
               : key == "types"   ? Section::kTypes
               : key == "methods" ? Section::kMethods
                                  : Section::kVersion;
    state_ = State::kSection;
  }
  bool Skip(Capture capture) {
    capture_ = capture;
    if (capture != Capture::kNone) {
      capture_offset_ = Offset();
      stream_->StartCapture();
    }
    after_skip_ = state_;
    state_ = State::kSkip;
    depth_ = 0;
    return true;
  }
  void ReportMissing() {
    for (const char* key : {"version", "types", "methods"}) {
      if (!seen_.contains(key) && !events_.OnViolation({Place{}, "none", key})) return;
    }
  }

  // --- Elements.
  void BeginElement() {
    state_ = State::kElement;
    element_offset_ = Offset();
    members_ = 0;
    element_ok_ = true;
    frames_.clear();
    values_.clear();
  }
  bool MemberKey(std::string_view key) {
    const std::optional<Member> member = MemberOf(key);
    if (!member) return Skip(Capture::kNone);
    const unsigned bit = 1u << static_cast<unsigned>(*member);
    if ((members_ & bit) != 0) return Violate("each key once") && Skip(Capture::kNone);
    members_ |= bit;
    member_ = *member;
    place_.member = MemberName(*member);
    state_ = State::kMember;
    return true;
  }
  std::optional<Member> MemberOf(std::string_view key) const {
    if (section_ == Section::kTable) {
      if (key == "ctx") return Member::kContext;
      if (key == "records") return Member::kRecords;
      return {};
    }
    if (key == "id") return Member::kId;
    if (key == "name") return Member::kName;
    if (key == "signature" && section_ == Section::kMethods) return Member::kSignature;
    return {};
  }
  static std::string_view MemberName(Member member) {
    static constexpr std::string_view kNames[] = {"id", "name", "signature", "ctx", "records"};
    return kNames[static_cast<size_t>(member)];
  }
  bool Integer(int64_t value) {
    if (state_ == State::kIntegers) {
      values_.push_back(value);
      return true;
    }
    if (state_ != State::kMember || member_ != Member::kId) return Scalar();
    id_ = value;
    state_ = State::kElement;
    return true;
  }
  bool StringMember(std::string_view value) {
    if (member_ != Member::kName && member_ != Member::kContext) return Scalar();
    state_ = State::kElement;
    name_text_ = value;
    if (member_ == Member::kName) {
      return value.size() <= kMaxNameBytes || Violate("at most 65535 bytes, as in a class file");
    }
    context_offset_ = Offset() - value.size() - 2;
    return SplitContext(value, &frames_) || Violate("a context such as \"12:0<3:17\"");
  }
  bool EndElement() {
    state_ = State::kElements;
    place_.member = {};
    place_.offset = element_offset_;
    static constexpr unsigned kWanted[] = {0, 0b00011, 0b00111, 0b11000};
    if (members_ != kWanted[static_cast<size_t>(section_)] && !Violate("all members")) return false;
    const bool go_on = !element_ok_ || Report() || Stop();
    ++place_.index;
    return go_on;
  }
  bool Report() {
    switch (section_) {
      case Section::kTypes:
        return events_.OnType({id_, name_text_, place_});
      case Section::kMethods:
        return events_.OnMethod({id_, name_text_, values_, place_});
      default:
        break;
    }
    EntryDecl entry{};
    entry.table = *table_;
    entry.ctx = name_text_;
    entry.frames = frames_;
    entry.values = values_;
    entry.place = place_;
    entry.ctx_offset = context_offset_;
    entry.records_offset = records_offset_;
    return events_.OnEntry(entry);
  }

  std::string_view name_;
  ProfileEvents& events_;
  RapidJsonStream* stream_ = nullptr;
  State state_ = State::kStart;
  State after_skip_ = State::kRoot;
  Capture capture_ = Capture::kNone;
  uint64_t capture_offset_ = 0;
  size_t depth_ = 0;  // of a value that is skipped
  Place place_;
  std::string key_;
  Section section_ = Section::kVersion;
  std::optional<Table> table_;
  Member member_ = Member::kId;
  unsigned members_ = 0;
  bool element_ok_ = true;
  uint64_t element_offset_ = 0;
  uint64_t context_offset_ = 0;
  uint64_t records_offset_ = 0;
  int64_t id_ = 0;
  std::string name_text_;
  std::vector<int64_t> values_;
  std::vector<RawFrame> frames_;
  std::set<std::string, std::less<>> seen_;
  std::set<std::string> unknown_;
  std::vector<HeldBack> held_back_;
  bool stopped_ = false;
  Status status_;
};

}  // namespace

Status ParseProfileByRapidJson(ByteSource& source, std::string_view name, ProfileEvents& events) {
  const std::unique_ptr<ByteSource> plain = MakeGunzipSource(source, std::string(name));
  return EventHandler(name, events).Run(*plain);
}

}  // namespace iprof
