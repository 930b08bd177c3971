#include "writer/base/sha1.h"

#include <bit>
#include <cstddef>
#include <string>

namespace iprof {
namespace {

constexpr size_t kBlock = 64;

struct State {
  std::array<uint32_t, 5> h{0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0};

  void Take(std::string_view block) {
    std::array<uint32_t, 80> w{};
    for (size_t t = 0; t < 16; ++t) {
      for (size_t b = 0; b < 4; ++b) {
        w[t] = (w[t] << 8) | static_cast<uint32_t>(static_cast<unsigned char>(block[4 * t + b]));
      }
    }
    for (size_t t = 16; t < 80; ++t) {
      w[t] = std::rotl(w[t - 3] ^ w[t - 8] ^ w[t - 14] ^ w[t - 16], 1);
    }
    auto [a, b, c, d, e] = h;
    for (size_t t = 0; t < 80; ++t) {
      const uint32_t next = std::rotl(a, 5) + Mix(t, b, c, d) + e + kConstants[t / 20] + w[t];
      e = d;
      d = c;
      c = std::rotl(b, 30);
      b = a;
      a = next;
    }
    h = {h[0] + a, h[1] + b, h[2] + c, h[3] + d, h[4] + e};
  }

 private:
  static constexpr std::array<uint32_t, 4> kConstants{0x5a827999, 0x6ed9eba1, 0x8f1bbcdc,
                                                      0xca62c1d6};

  static uint32_t Mix(size_t t, uint32_t b, uint32_t c, uint32_t d) {
    if (t < 20) return (b & c) | (~b & d);
    if (t >= 40 && t < 60) return (b & c) | (b & d) | (c & d);
    return b ^ c ^ d;
  }
};

}  // namespace

Sha1Digest Sha1(std::string_view bytes) {
  State state;
  size_t done = 0;
  for (; bytes.size() - done >= kBlock; done += kBlock) state.Take(bytes.substr(done, kBlock));
  // The remaining bytes, a 1 bit, zeros, and the length in bits as eight bytes.
  std::string tail(bytes.substr(done));
  tail += '\x80';
  while (tail.size() % kBlock != kBlock - 8) tail += '\0';
  const uint64_t bits = uint64_t{bytes.size()} * 8;
  for (int shift = 56; shift >= 0; shift -= 8) tail += static_cast<char>((bits >> shift) & 0xff);
  for (size_t at = 0; at < tail.size(); at += kBlock) {
    state.Take(std::string_view(tail).substr(at, kBlock));
  }
  Sha1Digest digest{};
  for (size_t i = 0; i < digest.size(); ++i) {
    digest[i] = static_cast<uint8_t>(state.h[i / 4] >> (24 - 8 * (i % 4)));
  }
  return digest;
}

}  // namespace iprof
