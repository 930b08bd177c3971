#include "cli/classpath/class_path.h"

#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "cli/classpath/archive_builder.h"
#include "cli/classpath/image_builder.h"
#include "writer/base/temporary_folder.h"

using namespace iprof;
using namespace iprof::classpath;

namespace {

// A folder that is the current one until the end of the test.
class Folder {
 public:
  Folder() { std::filesystem::current_path(folder_.path()); }
  ~Folder() { std::filesystem::current_path(before_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  std::string path() const { return folder_.path().string(); }
  static void Put(const std::string& path, const Bytes& bytes) {
    const auto parent = std::filesystem::path(path).parent_path();
    if (!parent.empty()) std::filesystem::create_directories(parent);
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()),
               static_cast<std::streamsize>(bytes.size()));
  }
  static void Put(const std::string& path, std::string_view text) { Put(path, ToBytes(text)); }

 private:
  const std::filesystem::path before_ = std::filesystem::current_path();
  const TemporaryFolder folder_;
};

TestEntry ManifestOf(const std::string& attributes) {
  return {"META-INF/MANIFEST.MF", "Manifest-Version: 1.0\n" + attributes + "\n", true};
}

std::string Find(const ClassPath& classes, std::string_view name) {
  const auto found = classes.Find(name);
  if (!found.ok()) return "error: " + found.status().message();
  if (!*found) return "(none)";
  return std::string((*found)->place) + ": " + ToText((*found)->bytes);
}

std::string AddedTo(ClassPath& classes, std::string_view elements) {
  const Status status = classes.Add(elements);
  return status.ok() ? "" : status.message();
}

}  // namespace

TEST_CASE("Classes come from the first element that has them") {
  const Folder folder;
  Folder::Put("one.jar", MakeArchive({{"p/A.class", "A in one", true}}));
  Folder::Put("two.jar", MakeArchive({{"p/A.class", "A in two"}, {"p/B.class", "B in two"}}));
  Folder::Put("classes/p/B$Inner.class", "inner B");
  Folder::Put("Default.class", "in no package");
  ClassPath classes(17);
  REQUIRE(AddedTo(classes, "one.jar:classes:two.jar:").empty());
  CHECK(classes.size() == 4);
  CHECK(Find(classes, "p.A") == "one.jar: A in one");
  CHECK(Find(classes, "p/A") == "one.jar: A in one");
  CHECK(Find(classes, "p.B") == "two.jar: B in two");
  CHECK(Find(classes, "p.B$Inner") == "classes: inner B");
  CHECK(Find(classes, "Default") == ".: in no package");
  CHECK(Find(classes, "p.C") == "(none)");
}

TEST_CASE("Names that no class file has are not looked for outside of the folders") {
  const Folder folder;
  Folder::Put("outside.class", "not ours");
  Folder::Put("classes/In.class", "ours");
  ClassPath classes(17);
  REQUIRE(AddedTo(classes, "classes").empty());
  for (const std::string& name :
       {std::string("../outside"), folder.path() + "/outside", std::string("[LIn;"),
        std::string("[I"), std::string(), std::string("In\0", 3), std::string("In/"),
        std::string("int"), std::string("In$$Lambda/0x1")}) {
    CHECK(Find(classes, name) == "(none)");
  }
}

TEST_CASE("A wildcard adds all jars of a folder, by name, and nothing else") {
  const Folder folder;
  Folder::Put("lib/b.jar", MakeArchive({{"A.class", "in b"}, {"B.class", "in b"}}));
  Folder::Put("lib/a.jar", MakeArchive({{"A.class", "in a"}}));
  Folder::Put("lib/c.JAR", MakeArchive({{"C.class", "in c"}}));
  Folder::Put("lib/notes.txt", "not an archive");
  ClassPath classes(17);
  REQUIRE(AddedTo(classes, "lib/*").empty());
  CHECK(classes.size() == 3);
  CHECK(Find(classes, "A") == "lib/a.jar: in a");
  CHECK(Find(classes, "B") == "lib/b.jar: in b");
  CHECK(Find(classes, "C") == "lib/c.JAR: in c");
}

TEST_CASE(
    "The class path of a manifest is followed, also in circles, and what is missing ignored") {
  const Folder folder;
  Folder::Put("app.jar", MakeArchive({ManifestOf("Class-Path: lib/x.jar missing.jar bad.jar more/"),
                                      {"App.class", "app"}}));
  Folder::Put("lib/x.jar", MakeArchive({ManifestOf("Class-Path: y.jar ../app.jar"),
                                        {"X.class", "x"},
                                        {"More.class", "in x"}}));
  Folder::Put("lib/y.jar", MakeArchive({{"Y.class", "y"}, {"Z.class", "in y"}}));
  Folder::Put("more/More.class", "in more");
  Folder::Put("more/Z.class", "in more");
  Folder::Put("bad.jar", "not an archive");
  ClassPath classes(17);
  REQUIRE(AddedTo(classes, "app.jar").empty());
  CHECK(Find(classes, "App") == "app.jar: app");
  CHECK(Find(classes, "Y") == "lib/y.jar: y");
  CHECK(Find(classes, "More") == "lib/x.jar: in x");
  CHECK(Find(classes, "Z") == "lib/y.jar: in y");
}

TEST_CASE("A multi-release jar has the newest version of a class that the JVM uses") {
  const Folder folder;
  const std::vector<TestEntry> entries{
      {"p/A.class", "base"},
      {"META-INF/versions/9/p/A.class", "nine"},
      {"META-INF/versions/17/p/A.class", "seventeen"},
      {"META-INF/versions/21/p/A.class", "twenty-one"},
      {"META-INF/versions/9/p/B.class", "only nine"},
      {"META-INF/versions/nine/p/C.class", "no version"},
  };
  std::vector<TestEntry> marked = entries;
  marked.push_back(ManifestOf("Multi-Release: true"));
  Folder::Put("marked.jar", MakeArchive(marked));
  Folder::Put("plain.jar", MakeArchive(entries));
  const auto find = [](int release, const char* jar, const char* name) {
    ClassPath classes(release);
    REQUIRE(AddedTo(classes, jar).empty());
    return Find(classes, name);
  };
  CHECK(find(17, "marked.jar", "p.A") == "marked.jar: seventeen");
  CHECK(find(20, "marked.jar", "p.A") == "marked.jar: seventeen");
  CHECK(find(25, "marked.jar", "p.A") == "marked.jar: twenty-one");
  CHECK(find(11, "marked.jar", "p.A") == "marked.jar: nine");
  CHECK(find(8, "marked.jar", "p.A") == "marked.jar: base");
  CHECK(find(17, "marked.jar", "p.B") == "marked.jar: only nine");
  CHECK(find(17, "plain.jar", "p.A") == "plain.jar: base");
  CHECK(find(17, "plain.jar", "p.B") == "(none)");
}

TEST_CASE("Classes and libraries inside of an application's archive are found") {
  const Folder folder;
  const std::string library = ToText(MakeArchive({{"q/L.class", "library", true}}));
  const std::string other = ToText(MakeArchive({{"q/O.class", "other"}}));
  Folder::Put("boot.jar", MakeArchive({{"BOOT-INF/classes/p/A.class", "A"},
                                       {"BOOT-INF/lib/l.jar", library},
                                       {"BOOT-INF/lib/o.jar", other, true},
                                       {"BOOT-INF/lib/deep/l.jar", "not searched"},
                                       {"org/Loader.class", "loader"}}));
  Folder::Put("web.war",
              MakeArchive({{"WEB-INF/classes/p/W.class", "W"}, {"WEB-INF/lib/l.jar", library}}));
  ClassPath classes(17);
  REQUIRE(AddedTo(classes, "boot.jar:web.war").empty());
  CHECK(Find(classes, "p.A") == "boot.jar: A");
  CHECK(Find(classes, "q.L") == "boot.jar!/BOOT-INF/lib/l.jar: library");
  CHECK(Find(classes, "q.O") == "boot.jar!/BOOT-INF/lib/o.jar: other");
  CHECK(Find(classes, "org.Loader") == "boot.jar: loader");
  CHECK(Find(classes, "p.W") == "web.war: W");
}

TEST_CASE("The JDK's classes come before those of the class path") {
  const Folder folder;
  Folder::Put("jdk/lib/modules",
              MakeImage({{"java.base", "java/lang/Object.class", ToBytes("the JDK's")}}));
  Folder::Put("jdk/release",
              "IMPLEMENTOR=\"x\"\nOLD_JAVA_VERSION=\"1\"\nJAVA_VERSION=\"21.0.8\"\n");
  Folder::Put("app.jar", MakeArchive({{"java/lang/Object.class", "app's"}, {"A.class", "A"}}));
  ClassPath classes(21);
  REQUIRE(AddedTo(classes, "app.jar").empty());
  CHECK(!classes.has_jdk());
  REQUIRE(classes.AddJdk("jdk").ok());
  CHECK(classes.has_jdk());
  CHECK(Find(classes, "java.lang.Object") == "jdk/lib/modules: the JDK's");
  CHECK(Find(classes, "A") == "app.jar: A");
  CHECK((*classes.Find("java.lang.Object"))->is_jdk);
  CHECK(!(*classes.Find("A"))->is_jdk);
  CHECK(*JdkVersion("jdk") == "21.0.8");
  const auto both = OpenClassPath("app.jar", "jdk", 17);
  REQUIRE(both.ok());
  CHECK(Find(*both, "java.lang.Object") == "jdk/lib/modules: the JDK's");
  CHECK(Find(*both, "A") == "app.jar: A");
}

TEST_CASE("The feature release of a version is its first number, or the second after a 1") {
  CHECK(FeatureRelease("17.0.15") == 17);
  CHECK(FeatureRelease("25") == 25);
  CHECK(FeatureRelease("26-ea") == 26);
  CHECK(FeatureRelease("1.8.0_402") == 8);
  CHECK(FeatureRelease("x") == 0);
  CHECK(FeatureRelease("") == 0);
  CHECK(FeatureRelease("1.") == 0);
}

TEST_CASE("An element that cannot be used is named") {
  const Folder folder;
  Folder::Put("bad.jar", "not an archive");
  Folder::Put("jdk8/release", "JAVA_VERSION=\"1.8.0\"\n");
  Folder::Put("broken/release", "nothing\n");
  ClassPath classes(17);
  CHECK(AddedTo(classes, "missing.jar") == "cannot open missing.jar: No such file or directory");
  CHECK(AddedTo(classes, "missing/*") == "cannot open missing/: No such file or directory");
  CHECK(AddedTo(classes, "bad.jar") == "bad.jar is not a sound zip archive: it has no end record");
  CHECK(classes.AddJdk("jdk8").message() ==
        "cannot open jdk8/lib/modules: No such file or directory (a JDK's folder has this file "
        "from JDK 9 on)");
  CHECK(JdkVersion("broken").status().message() ==
        "broken/release does not name the version of a JDK");
  CHECK(OpenClassPath("", "nowhere", 17).status().message() ==
        "cannot read nowhere/release: is nowhere a JDK?");
  CHECK(classes.size() == 0);
}

TEST_CASE("A damaged class is an error, not a missing class") {
  const Folder folder;
  Bytes jar = MakeArchive({{"A.class", "content"}});
  jar[ToText(jar).find("content")] = 'X';
  Folder::Put("app.jar", jar);
  ClassPath classes(17);
  REQUIRE(AddedTo(classes, "app.jar").empty());
  CHECK(Find(classes, "A") == "error: app.jar: entry A.class: has a wrong checksum");
}

TEST_CASE("The names of all classes, from folders, archives and what is inside of them") {
  const Folder folder;
  Folder::Put("classes/a/B.class", "1");
  Folder::Put("classes/a/B$1.class", "2");
  Folder::Put("classes/a/package-info.class", "3");
  Folder::Put("classes/module-info.class", "4");
  Folder::Put("classes/a/notes.txt", "5");
  Folder::Put("app.jar", MakeArchive({ManifestOf("Multi-Release: true\n"),
                                      {"a/B.class", "6"},
                                      {"a-b/C.class", "7"},
                                      {"META-INF/versions/17/d/Newer.class", "8"},
                                      {"META-INF/versions/25/d/Newest.class", "9"},
                                      {"META-INF/odd/E.class", "10"}}));
  Folder::Put("boot.jar", MakeArchive({{"BOOT-INF/classes/f/F.class", "11"}}));
  ClassPath classes(17);
  REQUIRE(AddedTo(classes, "classes:app.jar:boot.jar") == "");
  CHECK(classes.Names() == std::set<std::string>{"a/B", "a/B$1", "a-b/C", "d/Newer", "f/F"});
  for (const std::string& name : classes.Names()) CHECK(Find(classes, name) != "(none)");
}
