// NumberRuns: the hybrid of run lengths and packed bits in which Parquet has definition levels and indexes of dictionaries.
//
// A run is a varint and what follows: an even number n means n/2 times one value, in as many bytes as a value's bits need;
// an odd one means n/2 groups of eight values, each in as many bits as a value needs, lowest bits first.
//
//   0 0 0 0 0 0 0 0 0 0 with 1 bit   14 00          10 times 0
//   1 0 1 1 0 0 1 0 with 1 bit       03 4d          one group: 01001101
//
// Guarantees: the writer uses a run length for eight or more equal values. The reader never reads outside its bytes, and says
// whether there is a next number. The last group may be padded.
// Threads: one per reader. Failure: false from Next; std::bad_alloc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace iprof::parquet {

// Of numbers below `count`; 0 for none or one.
int BitsFor(uint64_t count);

void AppendNumberRuns(std::span<const uint32_t> numbers, int bits, std::string& out);

class NumberRuns {
 public:
  static constexpr int kMostBits = 32;

  NumberRuns() = default;
  NumberRuns(std::string_view bytes, int bits) : bytes_(bytes), bits_(bits) {}

  bool Next(uint32_t& number) {
    while (left_ == 0) {
      if (!NextRun()) return false;
    }
    --left_;
    number = is_packed_ ? Unpack() : value_;
    return true;
  }

 private:
  bool NextRun();
  uint32_t Unpack();

  std::string_view bytes_;
  int bits_ = 0;
  uint64_t left_ = 0;  // values of this run
  bool is_packed_ = false;
  uint32_t value_ = 0;
  uint64_t held_ = 0;  // bits of packed values
  int held_bits_ = 0;
};

}  // namespace iprof::parquet
