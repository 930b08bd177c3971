#include "writer/records/derivation.h"

#include <algorithm>
#include <cassert>

namespace iprof {
namespace {

uint64_t Add(uint64_t a, uint64_t b) {
  const uint64_t sum = a + b;
  return sum < a ? UINT64_MAX : sum;
}

uint64_t Sum(std::span<const ValueId> ids, std::span<const uint64_t> values) {
  uint64_t sum = 0;
  for (ValueId id : ids) sum = Add(sum, values[id]);
  return sum;
}

}  // namespace

void Derivation::Clear() {
  counter_count = 0;
  step_end.clear();
  operands.clear();
}

void Certificate::Clear() {
  kind = Exactness::kExact;
  live_frames_matter = false;
  abrupt.clear();
  thrown.clear();
  disturbed.clear();
}

bool IsWellFormed(const Derivation& derivation) {
  // Value ids must fit an Operand's 31 bits.
  if (uint64_t{derivation.counter_count} + derivation.step_end.size() > (uint64_t{1} << 31)) {
    return false;
  }
  uint32_t begin = 0;
  ValueId result = derivation.counter_count;
  for (uint32_t end : derivation.step_end) {
    if (end < begin || end > derivation.operands.size()) return false;
    for (uint32_t i = begin; i < end; ++i) {
      if (derivation.operands[i].value() >= result) return false;
    }
    begin = end;
    ++result;
  }
  return begin == derivation.operands.size();
}

uint32_t Derive(const Derivation& derivation, std::span<uint64_t> values) {
  assert(values.size() >= derivation.value_count());
  uint32_t clamps = 0;
  uint32_t at = 0;
  ValueId result = derivation.counter_count;
  for (uint32_t end : derivation.step_end) {
    uint64_t plus = 0;
    uint64_t minus = 0;
    for (; at < end; ++at) {
      const Operand operand = derivation.operands[at];
      uint64_t& side = operand.minus() ? minus : plus;
      side = Add(side, values[operand.value()]);
    }
    if (plus < minus) ++clamps;
    values[result++] = plus < minus ? 0 : plus - minus;
  }
  return clamps;
}

void FindTouched(const Derivation& derivation, const Certificate& certificate,
                 std::span<uint8_t> touched) {
  std::fill(touched.begin(), touched.end(), uint8_t{0});
  SpreadTouched(derivation, certificate, touched);
}

void SpreadTouched(const Derivation& derivation, const Certificate& certificate,
                   std::span<uint8_t> touched) {
  assert(touched.size() >= derivation.value_count());
  for (ValueId v : certificate.disturbed) touched[v] = 1;
  uint32_t at = 0;
  ValueId result = derivation.counter_count;
  for (uint32_t end : derivation.step_end) {
    for (; at < end; ++at) touched[result] |= touched[derivation.operands[at].value()];
    ++result;
  }
}

ErrorBound BoundOf(const Certificate& certificate, std::span<const uint64_t> values,
                   uint64_t live_frames) {
  const uint64_t abrupt = Sum(certificate.abrupt, values);
  const uint64_t thrown = Sum(certificate.thrown, values);
  uint64_t k = abrupt > thrown ? abrupt - thrown : 0;
  if (certificate.live_frames_matter) k = Add(k, live_frames);
  if (certificate.kind == Exactness::kUnknown) return {Exactness::kUnknown, k};
  return {k == 0 ? Exactness::kExact : Exactness::kBounded, k};
}

}  // namespace iprof
