#include "writer/records/context_samples.h"

#include <span>

#include "writer/base/sealed_bytes.h"
#include "writer/base/varint.h"
#include "writer/profile/io/digits.h"

namespace iprof {
namespace {

constexpr std::string_view kBegin = "{\"samples\":\"";
constexpr std::string_view kEnd = "\"}";

constexpr size_t kBytesOfGroup = 3;
constexpr size_t kDigitsOfGroup = 4;
constexpr int kBitsOfByte = 8;

// The last group is filled up with zeros.
std::string ToDigits(std::span<const uint8_t> bytes) {
  std::string text;
  text.reserve((bytes.size() / kBytesOfGroup + 1) * kDigitsOfGroup);
  for (size_t at = 0; at < bytes.size(); at += kBytesOfGroup) {
    uint64_t group = 0;
    for (size_t i = 0; i < kBytesOfGroup; ++i)
      group = group << kBitsOfByte | (at + i < bytes.size() ? bytes[at + i] : 0);
    AppendDigits(group << (64 - kBytesOfGroup * kBitsOfByte), kDigitsOfGroup, &text);
  }
  return text;
}

// False if a character is no digit.
bool ToBytes(std::string_view digits, std::vector<uint8_t>* bytes) {
  if (digits.size() % kDigitsOfGroup != 0) return false;
  bytes->reserve(digits.size() / kDigitsOfGroup * kBytesOfGroup);
  for (size_t at = 0; at < digits.size(); at += kDigitsOfGroup) {
    uint32_t group = 0;
    for (const char digit : digits.substr(at, kDigitsOfGroup)) {
      const int value = ValueOfDigit(digit);
      if (value < 0) return false;
      group = group << kBitsOfDigit | static_cast<uint32_t>(value);
    }
    for (int shift = 2 * kBitsOfByte; shift >= 0; shift -= kBitsOfByte)
      bytes->push_back(static_cast<uint8_t>(group >> shift));
  }
  return true;
}

void PutSite(const ContextSamples::Site& site, std::vector<uint8_t>* out) {
  PutVarint(site.is_call ? 1 : 0, out);
  PutVarint(site.method, out);
  PutVarint(static_cast<uint32_t>(site.bci), out);
  PutVarint(site.stacks.size(), out);
  for (const ContextSamples::Stack& stack : site.stacks) {
    PutVarint(stack.outcome, out);
    PutVarint(stack.count, out);
    PutVarint(stack.callers.size(), out);
    for (const ContextSamples::Caller& caller : stack.callers) {
      PutVarint(caller.method, out);
      PutVarint(static_cast<uint32_t>(caller.bci), out);
    }
  }
}

class Reader {
 public:
  explicit Reader(std::span<const uint8_t> bytes) : in_(bytes) {}

  bool Read(ContextSamples* samples) {
    samples->methods.resize(in_.GetCount(3));
    for (ContextSamples::Method& method : samples->methods) {
      method.type = in_.GetText();
      method.name = in_.GetText();
      method.descriptor = in_.GetText();
    }
    samples->types.resize(in_.GetCount(1));
    for (std::string& type : samples->types) type = in_.GetText();
    methods_ = samples->methods.size();
    types_ = samples->types.size();
    samples->sites.resize(in_.GetCount(4));
    for (ContextSamples::Site& site : samples->sites) ReadSite(&site);
    return in_.ok();
  }

 private:
  void ReadSite(ContextSamples::Site* site) {
    site->is_call = in_.GetBelow(2) == 1;
    site->method = in_.GetBelow(methods_);
    site->bci = GetBci();
    site->stacks.resize(in_.GetCount(3));
    for (ContextSamples::Stack& stack : site->stacks) {
      stack.outcome = in_.GetBelow(site->is_call ? types_ : kBcis);
      stack.count = in_.GetBelow(kMostOfStack);
      const uint32_t callers = in_.GetCount(2);
      stack.callers.resize(callers <= kMostCallers ? callers : in_.Fail());
      for (ContextSamples::Caller& caller : stack.callers) {
        caller.method = in_.GetBelow(methods_);
        caller.bci = GetBci();
      }
    }
  }
  Bci GetBci() { return static_cast<Bci>(in_.GetBelow(kBcis)); }

  static constexpr uint32_t kBcis = 65536;
  static constexpr uint32_t kMostOfStack = 1 << 20;
  static constexpr uint32_t kMostCallers = 64;  // the agent takes eight

  BoundedReader in_;
  size_t methods_ = 0;
  size_t types_ = 0;
};

}  // namespace

std::string EncodeContextSamples(const ContextSamples& samples) {
  std::vector<uint8_t> bytes;
  PutVarint(samples.methods.size(), &bytes);
  for (const ContextSamples::Method& method : samples.methods) {
    PutText(method.type, &bytes);
    PutText(method.name, &bytes);
    PutText(method.descriptor, &bytes);
  }
  PutVarint(samples.types.size(), &bytes);
  for (const std::string& type : samples.types) PutText(type, &bytes);
  PutVarint(samples.sites.size(), &bytes);
  for (const ContextSamples::Site& site : samples.sites) PutSite(site, &bytes);
  return std::string(kBegin) + ToDigits(bytes) + std::string(kEnd);
}

std::optional<ContextSamples> ReadContextSamples(std::span<const uint8_t> bytes) {
  ContextSamples samples;
  if (!Reader(bytes).Read(&samples)) return std::nullopt;
  return samples;
}

std::optional<ContextSamples> DecodeContextSamples(std::string_view json) {
  if (!json.starts_with(kBegin) || !json.ends_with(kEnd) ||
      json.size() < kBegin.size() + kEnd.size())
    return std::nullopt;
  json.remove_prefix(kBegin.size());
  json.remove_suffix(kEnd.size());
  std::vector<uint8_t> bytes;
  if (!ToBytes(json, &bytes)) return std::nullopt;
  return ReadContextSamples(bytes);
}

}  // namespace iprof
