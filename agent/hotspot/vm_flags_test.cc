#include "agent/hotspot/vm_flags.h"

#include <catch2/catch.hpp>
#include <cstddef>
#include <iterator>

#include "agent/hotspot/fake_structs.h"

namespace iprof::hotspot {
namespace {

struct Flag {
  void* value;
  const char* name;
  int unused;
};

struct Vm {
  uint64_t heap = 123456789;
  uint8_t huge = 0;
  const char* command = "quiet";
  const char* unset = nullptr;
  Flag flags[5] = {{&heap, "MaxHeapSize", 0},
                   {&huge, "DontCompileHugeMethods", 0},
                   {&command, "CompileCommand", 0},
                   {&unset, "CompileCommandFile", 0},
                   {nullptr, nullptr, 0}};
  const Flag* first = flags;
  uint64_t count = std::size(flags);
  const char* arguments[3] = {"-Xshare:auto", "-Xmx1g", "-Xshare:on"};
  const char** first_argument = arguments;
  int32_t argument_count = 3;
  FakeStructs fake;
  OwnMemory memory;

  VmStructs Structs() {
    fake.AddField("JVMFlag", "_name", offsetof(Flag, name));
    fake.AddField("JVMFlag", "_addr", offsetof(Flag, value));
    fake.AddType("JVMFlag", sizeof(Flag));
    fake.AddStatic("JVMFlag", "flags", &first);
    fake.AddStatic("JVMFlag", "numFlags", &count);
    fake.AddStatic("Arguments", "_jvm_args_array", &first_argument);
    fake.AddStatic("Arguments", "_num_jvm_args", &argument_count);
    return VmStructs(memory, fake.Symbols());
  }
};

TEST_CASE("flags are read as what they are") {
  Vm vm;
  const VmStructs structs = vm.Structs();
  const VmFlags flags(structs);
  CHECK(flags.found());
  CHECK(flags.Number("MaxHeapSize") == 123456789);
  CHECK(flags.Bool("DontCompileHugeMethods") == false);
  vm.huge = 1;
  CHECK(flags.Bool("DontCompileHugeMethods") == true);
  CHECK(flags.Text("CompileCommand") == "quiet");
  CHECK_FALSE(flags.Text("CompileCommandFile"));  // not set
}

TEST_CASE("unknown flags answer nothing") {
  Vm vm;
  const VmStructs structs = vm.Structs();
  const VmFlags flags(structs);
  CHECK_FALSE(flags.Bool("NoSuchFlag"));
  CHECK_FALSE(flags.Number("MaxHeap"));
  CHECK_FALSE(flags.Text(""));
}

TEST_CASE("arguments are told in their order, and the last of a kind counts") {
  Vm vm;
  const VmStructs structs = vm.Structs();
  const VmFlags flags(structs);
  CHECK(flags.Arguments() == std::vector<std::string>{"-Xshare:auto", "-Xmx1g", "-Xshare:on"});
  CHECK(flags.LastArgument("-Xshare:") == "-Xshare:on");
  CHECK_FALSE(flags.LastArgument("-Xms"));
}

TEST_CASE("a JVM without tables has no flags and no arguments") {
  FakeStructs fake;
  const OwnMemory memory;
  const VmStructs structs(memory, fake.Symbols());
  const VmFlags flags(structs);
  CHECK_FALSE(flags.found());
  CHECK_FALSE(flags.Number("MaxHeapSize"));
  CHECK(flags.Arguments().empty());
}

class WithoutFirstPage final : public Memory {
 public:
  bool Read(Address from, void* into, size_t size) const override {
    return from >= 4096 && OwnMemory().Read(from, into, size);
  }
};

TEST_CASE("a name or an argument that cannot be read ends its table") {
  Vm vm;
  const auto* const bad = reinterpret_cast<const char*>(uintptr_t{8});
  vm.flags[1].name = vm.arguments[1] = bad;
  vm.Structs();
  const WithoutFirstPage memory;
  const VmStructs structs(memory, vm.fake.Symbols());
  const VmFlags flags(structs);
  CHECK(flags.Number("MaxHeapSize") == 123456789);
  CHECK_FALSE(flags.Text("CompileCommand"));
  CHECK(flags.Arguments() == std::vector<std::string>{"-Xshare:auto"});
}

TEST_CASE("a count below zero is no count") {
  Vm vm;
  vm.argument_count = -1;
  const VmStructs structs = vm.Structs();
  CHECK(VmFlags(structs).Arguments().empty());
}

}  // namespace
}  // namespace iprof::hotspot
