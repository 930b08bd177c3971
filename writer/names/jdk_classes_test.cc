#include "writer/names/jdk_classes.h"

#include <catch2/catch.hpp>

namespace iprof {
namespace {

TEST_CASE("classes of the JDK are told by their packages") {
  for (const char* name : {"java.lang.String", "java.util.HashMap$Node", "javax.crypto.Cipher",
                           "jdk.internal.misc.Unsafe", "sun.nio.ch.SocketChannelImpl",
                           "com.sun.tools.javac.Main", "org.xml.sax.InputSource",
                           "[Ljava.lang.String;", "[[I", "int", "java.util.List$$Lambda/0x000001"})
    CHECK(IsJdkClass(name));
  for (const char* name : {"Main", "com.acme.Cart", "javax.servlet.Filter", "javax.inject.Inject",
                           "com.sun.mail.smtp.SMTP", "javax.xml.bind.JAXB", "javafx.scene.Node",
                           "[Lcom.acme.Cart;", "java", "javas.X", ""})
    CHECK_FALSE(IsJdkClass(name));
}

}  // namespace
}  // namespace iprof
