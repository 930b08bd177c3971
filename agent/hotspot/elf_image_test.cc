#include "agent/hotspot/elf_image.h"

#include <dlfcn.h>
#include <elf.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

namespace iprof::hotspot {
namespace {

constexpr Address kBase = 0x7f0000000000;

// Memory with the given bytes at kBase. Reads beyond them fail.
class ImageMemory final : public Memory {
 public:
  explicit ImageMemory(size_t size) : bytes_(size) {}
  bool Read(Address from, void* into, size_t size) const override {
    if (from < kBase || from - kBase > bytes_.size() || size > bytes_.size() - (from - kBase))
      return false;
    std::memcpy(into, &bytes_[from - kBase], size);
    return true;
  }
  template <typename T>
  void Put(size_t at, const T& value) {
    std::memcpy(&bytes_[at], &value, sizeof value);
  }

 private:
  std::vector<unsigned char> bytes_;
};

// A library with two symbols in one hash bucket: "alpha" at 0x900, and "beta", which another
// library defines.
struct Library {
  static constexpr size_t kDynamic = 0x200, kHash = 0x300, kSymbols = 0x400, kNames = 0x500;

  Library() {
    Elf64_Ehdr header{};
    std::memcpy(header.e_ident, ELFMAG, SELFMAG);
    header.e_ident[EI_CLASS] = ELFCLASS64;
    header.e_ident[EI_DATA] = ELFDATA2LSB;
    header.e_phoff = sizeof header;
    header.e_phentsize = sizeof(Elf64_Phdr);
    header.e_phnum = 2;
    memory.Put(0, header);
    Elf64_Phdr load{};
    load.p_type = PT_LOAD;
    load.p_memsz = 0x1000;
    memory.Put(sizeof header, load);
    Elf64_Phdr dynamic{};
    dynamic.p_type = PT_DYNAMIC;
    dynamic.p_vaddr = kDynamic;
    dynamic.p_memsz = 5 * sizeof(Elf64_Dyn);
    memory.Put(sizeof header + sizeof load, dynamic);
    Dynamic(0, DT_SYMTAB, kSymbols);
    Dynamic(1, DT_STRTAB, kNames);
    Dynamic(2, DT_STRSZ, 16);
    Dynamic(3, DT_GNU_HASH, kHash);
    // One bucket, the first symbol, one word of filter.
    const uint32_t hash[] = {1, 1, 1, 0, 0, 0, 1};
    memory.Put(kHash, hash);
    Chain(0, HashOf("alpha") & ~1U);
    Chain(1, HashOf("beta") | 1U);
    memory.Put(kNames, "\0alpha\0beta");
    Symbol(1, 1, 0x900, 7, STT_OBJECT);
    Symbol(2, 7, 0, SHN_UNDEF, STT_FUNC);
  }
  static uint32_t HashOf(std::string_view name) {
    uint32_t hash = 5381;
    for (const char c : name) hash = hash * 33 + static_cast<unsigned char>(c);
    return hash;
  }
  void Dynamic(size_t i, int64_t tag, uint64_t value) {
    Elf64_Dyn entry{};
    entry.d_tag = tag;
    entry.d_un.d_ptr = value;
    memory.Put(kDynamic + i * sizeof entry, entry);
  }
  void Chain(size_t i, uint32_t hash) { memory.Put(kHash + 28 + i * 4, hash); }
  void Symbol(size_t i, uint32_t name, uint64_t value, uint16_t section, unsigned char type) {
    Elf64_Sym symbol{};
    symbol.st_name = name;
    symbol.st_value = value;
    symbol.st_shndx = section;
    symbol.st_info = static_cast<unsigned char>(STB_GLOBAL << 4 | type);
    memory.Put(kSymbols + i * sizeof symbol, symbol);
  }
  std::optional<Address> Find(std::string_view name) const {
    const auto image = ElfImage::Read(memory, kBase);
    INFO(image.status().message());
    REQUIRE(image.ok());
    return image->Find(name);
  }
  std::string Failure() const { return ElfImage::Read(memory, kBase).status().message(); }

  ImageMemory memory{0x1000};
};

TEST_CASE("an exported symbol is found by its name, and only that") {
  Library library;
  CHECK(library.Find("alpha") == kBase + 0x900);
  CHECK_FALSE(library.Find("beta"));  // defined elsewhere
  CHECK_FALSE(library.Find("alph"));
  CHECK_FALSE(library.Find("alphas"));
  CHECK_FALSE(library.Find(""));
  CHECK_FALSE(library.Find(std::string(10'000, 'a')));
}

TEST_CASE("the dynamic linker may have replaced offsets by addresses") {
  Library library;
  library.Dynamic(0, DT_SYMTAB, kBase + Library::kSymbols);
  library.Dynamic(1, DT_STRTAB, kBase + Library::kNames);
  library.Dynamic(3, DT_GNU_HASH, kBase + Library::kHash);
  CHECK(library.Find("alpha") == kBase + 0x900);
}

TEST_CASE("a damaged library has no symbols, or says what is damaged") {
  Library library;
  SECTION("no ELF") {
    library.memory.Put<char>(1, 'X');
    CHECK(library.Failure().find("ELF header") != std::string::npos);
  }
  SECTION("32 bits") {
    library.memory.Put<char>(EI_CLASS, ELFCLASS32);
    CHECK(library.Failure().find("64-bit") != std::string::npos);
  }
  SECTION("more segments than can be") {
    library.memory.Put<uint16_t>(offsetof(Elf64_Ehdr, e_phnum), 60'000);
    CHECK(library.Failure().find("program headers") != std::string::npos);
  }
  SECTION("program headers outside of the memory") {
    library.memory.Put<uint64_t>(offsetof(Elf64_Ehdr, e_phoff), 0x100000);
    CHECK(library.Failure().find("program headers cannot be read") != std::string::npos);
  }
  SECTION("no table of symbols") {
    library.Dynamic(0, DT_NULL, 0);
    CHECK(library.Failure().find("no table of symbols") != std::string::npos);
  }
  SECTION("names outside of it") {
    library.Dynamic(2, DT_STRSZ, std::numeric_limits<uint64_t>::max());
    CHECK(library.Failure().find("no table of symbols") != std::string::npos);
  }
  SECTION("hashes outside of it") {
    library.Dynamic(3, DT_GNU_HASH, 0x100000);
    CHECK(library.Failure().find("hashes") != std::string::npos);
  }
  SECTION("no buckets") {
    library.memory.Put<uint32_t>(Library::kHash, 0);
    CHECK(library.Failure().find("hashes") != std::string::npos);
  }
  SECTION("a filter that is larger than the library") {
    library.memory.Put<uint32_t>(Library::kHash + 8, 0xffffffff);
    CHECK(library.Failure().find("hashes") != std::string::npos);
  }
  SECTION("a symbol that lies elsewhere") {
    library.Symbol(1, 1, 0x100000, 7, STT_OBJECT);
    CHECK_FALSE(library.Find("alpha"));
  }
  SECTION("a name that lies elsewhere") {
    library.Symbol(1, 0xfffffff0, 0x900, 7, STT_OBJECT);
    CHECK_FALSE(library.Find("alpha"));
  }
  SECTION("a chain without an end") {
    library.Chain(1, 2);
    CHECK_FALSE(library.Find("beta"));
  }
  SECTION("an address that needs a call to find out") {
    library.Symbol(1, 1, 0x900, 7, STT_GNU_IFUNC);
    CHECK_FALSE(library.Find("alpha"));
  }
}

TEST_CASE("what is found in a library of this process is what the dynamic linker finds") {
  const OwnMemory memory;
  Dl_info info;
  void* const getppid_here = dlsym(RTLD_DEFAULT, "getppid");
  REQUIRE(dladdr(getppid_here, &info) != 0);
  const auto image =
      ElfImage::Read(memory, static_cast<Address>(reinterpret_cast<uintptr_t>(info.dli_fbase)));
  INFO(image.status().message());
  REQUIRE(image.ok());
  for (const char* name : {"getppid", "environ", "malloc", "write"}) {
    CAPTURE(name);
    const auto found = image->Find(name);
    REQUIRE(found);
    CHECK(dladdr(reinterpret_cast<void*>(static_cast<uintptr_t>(*found)), &info) != 0);
    if (std::string(name) == "getppid")
      CHECK(*found == static_cast<Address>(reinterpret_cast<uintptr_t>(getppid_here)));
  }
  CHECK_FALSE(image->Find("gHotSpotVMStructs"));
}

}  // namespace
}  // namespace iprof::hotspot
