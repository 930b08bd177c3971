#include "writer/names/type_names.h"

#include <catch2/catch.hpp>

using namespace iprof;
using Names = std::vector<std::string>;

TEST_CASE("types are named as Class.getName() names them") {
  CHECK(TypeNameOf(Descriptor("I")) == "int");
  CHECK(TypeNameOf(Descriptor("V")) == "void");
  CHECK(TypeNameOf(Descriptor("Ljava/util/Map$Entry;")) == "java.util.Map$Entry");
  CHECK(TypeNameOf(Descriptor("[I")) == "[I");
  CHECK(TypeNameOf(Descriptor("[[Ljava/lang/String;")) == "[[Ljava.lang.String;");
  CHECK(TypeNameOf(Descriptor("La/Foo$$Lambda.0x01;")) == "a.Foo$$Lambda/0x01");
}

TEST_CASE("names of types become the JVM's again") {
  for (const std::string_view text :
       {"I", "V", "Z", "La/B;", "La/B$$Lambda.0x01;", "[I", "[[La/B;", "LJ;"}) {
    const auto name = TypeNameOf(Descriptor(text));
    REQUIRE(name);
    CHECK(DescriptorOf(*name) == text);
  }
  CHECK(InternalNameOf("a.B$$Lambda/0x01") == "a/B$$Lambda.0x01");
}

TEST_CASE("an invalid descriptor has no name") {
  for (const char* text : {"", "[", "L", "L;", "La", "X", "II", "La;I", "[[", "[La"}) {
    INFO(text);
    CHECK_FALSE(TypeNameOf(Descriptor(text)).has_value());
  }
}

TEST_CASE("a signature is the return type, then the parameters") {
  CHECK(SignatureOf("()V") == Names{"void"});
  CHECK(SignatureOf("(IJ[BLjava/lang/String;)[[D") ==
        Names{"[[D", "int", "long", "[B", "java.lang.String"});
  for (const char* text : {"", "()", "(V)V", "I", "(I", "(La)V", "()VV", "([)V"}) {
    INFO(text);
    CHECK_FALSE(SignatureOf(text).has_value());
  }
}

TEST_CASE("modified UTF-8 becomes UTF-8") {
  using namespace std::string_literals;
  CHECK(ToUtf8("plain") == "plain");
  std::string made;
  const std::string_view plain = "plain";
  CHECK(ToUtf8(plain, &made).data() == plain.data());
  CHECK(ToUtf8("a\xC0\x80", &made) == "a\0"s);
  CHECK(ToUtf8("\xC0\x80") == "\0"s);
  CHECK(ToUtf8("gr\xC3\xBC\xC3\x9F") == "gr\xC3\xBC\xC3\x9F");
  CHECK(ToUtf8("\xE2\x82\xAC") == "\xE2\x82\xAC");
  CHECK(ToUtf8("\xED\xA0\xBD\xED\xB8\x80") == "\xF0\x9F\x98\x80");  // U+1F600 as a surrogate pair
  CHECK(ToUtf8("a\xED\xA0\xBD"
               "b") == "a?b");           // a high surrogate alone
  CHECK(ToUtf8("\xED\xB8\x80") == "?");  // a low surrogate alone
  CHECK(ToUtf8("\xFF\xC3") == "??");
}

TEST_CASE("hidden classes carry a dot in JVMTI's descriptors") {
  CHECK(IsHiddenClass(Descriptor("La/Foo$$Lambda.0x0000000800c03000;")));
  CHECK(IsHiddenClass(Descriptor("[La/Foo$$Lambda.0x01;")));
  CHECK_FALSE(IsHiddenClass(Descriptor("La/Foo$$Lambda$1;")));
}

TEST_CASE("classes that reflection generates are recognised by their number") {
  CHECK(IsGeneratedAccessor(Descriptor("Ljdk/internal/reflect/GeneratedMethodAccessor7;")));
  CHECK(IsGeneratedAccessor(
      Descriptor("Ljdk/internal/reflect/GeneratedSerializationConstructorAccessor12;")));
  CHECK_FALSE(IsGeneratedAccessor(Descriptor("Ljdk/internal/reflect/GeneratedMethodAccessor;")));
  CHECK_FALSE(IsGeneratedAccessor(Descriptor("Ljdk/internal/reflect/NativeMethodAccessorImpl;")));
  CHECK_FALSE(IsGeneratedAccessor(Descriptor("La/GeneratedMethodAccessor7;")));
  CHECK_FALSE(IsGeneratedAccessor(Descriptor("")));
}

TEST_CASE("linkage of method handles: lambda forms, hidden ones and those of the holders") {
  CHECK(IsLinkageClass(InternalName("java/lang/invoke/LambdaForm$MH.0x000000080001")));
  CHECK(IsLinkageClass(InternalName("java/lang/invoke/Invokers$Holder")));
  CHECK_FALSE(IsLinkageClass(InternalName("java/lang/invoke/LambdaForm$Name")));
  CHECK_FALSE(IsLinkageClass(InternalName("java/lang/invoke/Invokers")));
  CHECK_FALSE(IsLinkageClass(InternalName("a/Foo$$Lambda.0x01")));
  CHECK_FALSE(IsLinkageClass(InternalName("a/Foo$Holder")));
}

TEST_CASE("linkage of method handles by the names in profiles") {
  CHECK(IsLinkageClass(ProfileName("java.lang.invoke.LambdaForm$MH/0x000000080001")));
  CHECK(IsLinkageClass(ProfileName("java.lang.invoke.Invokers$Holder")));
  CHECK_FALSE(IsLinkageClass(ProfileName("java.lang.invoke.LambdaForm$Name")));
  CHECK_FALSE(IsLinkageClass(ProfileName("a.Foo$$Lambda/0x01")));
}

TEST_CASE("method descriptors are taken apart") {
  const auto types = SplitDescriptor("(I[JLa/B;)[[La/C;");
  REQUIRE(types);
  CHECK(types->parameters == std::vector<std::string_view>{"I", "[J", "La/B;"});
  CHECK(types->result == "[[La/C;");
  // A name may contain the character that ends the parameters.
  CHECK(SplitDescriptor("(La)b;)V")->parameters == std::vector<std::string_view>{"La)b;"});
  for (const char* malformed :
       {"", "(", "()", "(V)V", "([V)V", "(I)", "(I)VV", "(L;)V", "(La/B)V"}) {
    INFO(malformed);
    CHECK_FALSE(SplitDescriptor(malformed));
  }
}
