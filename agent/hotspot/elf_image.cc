#include "agent/hotspot/elf_image.h"

#include <elf.h>

#include <algorithm>
#include <cstring>
#include <string>

namespace iprof::hotspot {
namespace {

constexpr uint16_t kMostSegments = 256;
constexpr uint64_t kMostDynamicEntries = 1024;
constexpr uint32_t kMostChainSteps = 10'000;
constexpr size_t kLongestName = 512;

Status Damaged(const char* what) {
  return {Code::kBadInput, std::string("not a readable library in memory: ") + what};
}

uint32_t GnuHash(std::string_view name) {
  uint32_t hash = 5381;
  for (const char c : name) hash = hash * 33 + static_cast<unsigned char>(c);
  return hash;
}

}  // namespace

Result<ElfImage> ElfImage::Read(const Memory& memory, Address base) {
  ElfImage image(memory);
  if (Status status = image.ReadSegments(base); !status.ok()) return status;
  return image;
}

Status ElfImage::ReadSegments(Address base) {
  const auto header = memory_->Load<Elf64_Ehdr>(base);
  if (!header) return Damaged("its header cannot be read");
  if (std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 ||
      header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_ident[EI_DATA] != ELFDATA2LSB)
    return Damaged("it has no 64-bit little-endian ELF header");
  if (header->e_phentsize != sizeof(Elf64_Phdr) || header->e_phnum > kMostSegments ||
      header->e_phoff > UINT64_MAX - base)
    return Damaged("its program headers have an unknown form");
  uint64_t low = UINT64_MAX;
  uint64_t high = 0;
  std::optional<Elf64_Phdr> dynamic;
  for (uint16_t i = 0; i < header->e_phnum; ++i) {
    const auto segment =
        memory_->Load<Elf64_Phdr>(base + header->e_phoff + uint64_t{i} * sizeof(Elf64_Phdr));
    if (!segment) return Damaged("its program headers cannot be read");
    if (segment->p_vaddr > UINT64_MAX - segment->p_memsz)
      return Damaged("a segment is larger than the memory");
    if (segment->p_type == PT_DYNAMIC) dynamic = segment;
    if (segment->p_type != PT_LOAD) continue;
    // The first segment starts at offset 0 of the file, but its address may point into the middle
    // of the page.
    low = std::min(low, segment->p_vaddr - std::min(segment->p_vaddr, segment->p_offset));
    high = std::max(high, segment->p_vaddr + segment->p_memsz);
  }
  if (low >= high || !dynamic) return Damaged("it has no segments");
  if (high - low > UINT64_MAX - base) return Damaged("it ends beyond the memory");
  low_ = base;
  high_ = base + (high - low);
  bias_ = base - low;
  return ReadDynamic(bias_ + dynamic->p_vaddr, dynamic->p_memsz);
}

Status ElfImage::ReadDynamic(Address dynamic, uint64_t size) {
  if (!Contains(dynamic, size)) return Damaged("its dynamic section lies outside of it");
  Address hash = 0;
  for (uint64_t i = 0; i < std::min(size / sizeof(Elf64_Dyn), kMostDynamicEntries); ++i) {
    const auto entry = memory_->Load<Elf64_Dyn>(dynamic + i * sizeof(Elf64_Dyn));
    if (!entry) return Damaged("its dynamic section cannot be read");
    if (entry->d_tag == DT_NULL) break;
    if (entry->d_tag == DT_SYMTAB) symbols_ = Absolute(entry->d_un.d_ptr);
    if (entry->d_tag == DT_STRTAB) names_ = Absolute(entry->d_un.d_ptr);
    if (entry->d_tag == DT_STRSZ) names_size_ = entry->d_un.d_val;
    if (entry->d_tag == DT_GNU_HASH) hash = Absolute(entry->d_un.d_ptr);
  }
  if (symbols_ == 0 || !Contains(names_, names_size_) || hash == 0)
    return Damaged("it has no table of symbols");
  // The GNU hash table: counts, a Bloom filter (which we skip, because it only saves time),
  // buckets, chains.
  struct Header {
    uint32_t buckets, first_symbol, filter_words, filter_shift;
  };
  const auto header = Contains(hash, sizeof(Header)) ? memory_->Load<Header>(hash) : std::nullopt;
  if (!header) return Damaged("its table of hashes lies outside of it");
  bucket_count_ = header->buckets;
  first_symbol_ = header->first_symbol;
  buckets_ = hash + sizeof(Header) + uint64_t{header->filter_words} * sizeof(uint64_t);
  chains_ = buckets_ + uint64_t{bucket_count_} * sizeof(uint32_t);
  if (bucket_count_ == 0 || !Contains(buckets_, 0) || !Contains(chains_, 0))
    return Damaged("its table of hashes is larger than itself");
  return {};
}

std::optional<Address> ElfImage::Find(std::string_view name) const {
  if (name.empty() || name.size() > kLongestName) return std::nullopt;
  const uint32_t hash = GnuHash(name);
  const auto bucket =
      memory_->Load<uint32_t>(buckets_ + uint64_t{hash % bucket_count_} * sizeof(uint32_t));
  if (!bucket || *bucket < first_symbol_) return std::nullopt;  // an empty bucket is 0
  for (uint32_t i = 0; i < kMostChainSteps && *bucket <= UINT32_MAX - i; ++i) {
    const uint32_t symbol = *bucket + i;
    const Address at = chains_ + uint64_t{symbol - first_symbol_} * sizeof(uint32_t);
    const auto chained =
        Contains(at, sizeof(uint32_t)) ? memory_->Load<uint32_t>(at) : std::nullopt;
    if (!chained) return std::nullopt;
    if ((*chained | 1) == (hash | 1)) {
      if (const auto found = AddressOf(symbol, name)) return found;
    }
    if ((*chained & 1) != 0) return std::nullopt;  // end of the chain
  }
  return std::nullopt;
}

std::optional<Address> ElfImage::AddressOf(uint32_t index, std::string_view name) const {
  const Address at = symbols_ + uint64_t{index} * sizeof(Elf64_Sym);
  const auto symbol = Contains(at, sizeof(Elf64_Sym)) ? memory_->Load<Elf64_Sym>(at) : std::nullopt;
  if (!symbol || symbol->st_shndx == SHN_UNDEF || symbol->st_name >= names_size_)
    return std::nullopt;
  const unsigned type = ELF64_ST_TYPE(symbol->st_info);
  if (type != STT_NOTYPE && type != STT_OBJECT && type != STT_FUNC) return std::nullopt;
  // The terminating zero byte must be in the table too, so that a longer name does not match.
  if (names_size_ - symbol->st_name <= name.size()) return std::nullopt;
  char text[kLongestName + 1];
  if (!memory_->Read(names_ + symbol->st_name, text, name.size() + 1) ||
      std::memcmp(text, name.data(), name.size()) != 0 || text[name.size()] != 0)
    return std::nullopt;
  const Address address = bias_ + symbol->st_value;
  if (!Contains(address, 1)) return std::nullopt;
  return address;
}

}  // namespace iprof::hotspot
