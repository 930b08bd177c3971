"""Real programs from Maven Central, each with a small job whose output does not change from run to run.

They are a differential test: with and without the agent, a program must print the same and end with the same status.
They were chosen to be diverse: compilers, interpreters of other languages with their own class loaders and generated
code, databases, a large shaded program, an OSGi framework.
"""

import dataclasses
import pathlib

FILES = pathlib.Path(__file__).resolve().parent / "files"


@dataclasses.dataclass(frozen=True)
class RealProgram:
    name: str
    pins: tuple  # names in scripts/pins; these jars make up the class path
    main: str
    arguments: tuple  # {files}: the folder of input files, {work}: an empty folder
    shown: tuple = ()  # files in {work} that are part of the output
    jvm_arguments: tuple = ()
    bundle: bool = False  # needs an OSGi bundle in {work}/bundle
    slow: bool = False  # takes longer than a few seconds: only in the long run


PROGRAMS = (
    RealProgram("ecj", ("ecj",), "org.eclipse.jdt.internal.compiler.batch.Main",
                ("--release", "17", "-proc:none", "-verbose", "-d", "none", "{files}/Shapes.java")),
    RealProgram("google-java-format", ("google-java-format",),
                "com.google.googlejavaformat.java.Main", ("{files}/Shapes.java",),
                jvm_arguments=tuple(f"--add-exports=jdk.compiler/com.sun.tools.javac.{package}=ALL-UNNAMED"
                                    for package in ("api", "code", "file", "parser", "tree", "util"))),
    RealProgram("antlr", ("antlr",), "org.antlr.v4.Tool",
                ("-Xexact-output-dir", "-o", "{work}", "{files}/Sums.g4"), shown=("SumsParser.java", "SumsLexer.java", "Sums.interp")),
    RealProgram("rhino", ("rhino",), "org.mozilla.javascript.tools.shell.Main", ("-opt", "9", "{files}/words.js")),
    RealProgram("clojure", ("clojure", "clojure-spec", "clojure-core-specs"),
                "clojure.main", ("{files}/words.clj",)),
    RealProgram("h2", ("h2",), "org.h2.tools.RunScript",
                ("-url", "jdbc:h2:mem:soak", "-script", "{files}/orders.sql", "-showResults")),
    RealProgram("hsqldb", ("hsqldb", "hsqldb-sqltool"), "org.hsqldb.cmdline.SqlTool",
                ("--inlineRc=url=jdbc:hsqldb:mem:soak,user=SA,password=", "{files}/orders.sql")),
    RealProgram("groovy", ("groovy",), "groovy.ui.GroovyMain", ("{files}/words.groovy",)),
    RealProgram("saxon", ("saxon", "xmlresolver"), "net.sf.saxon.Query",
                ("-q:{files}/words.xq", "!indent=yes")),
    RealProgram("jython", ("jython",), "org.python.util.jython", ("-S", "{files}/words.py"),
                jvm_arguments=("-Dpython.cachedir.skip=true",), slow=True),
    RealProgram("jruby", ("jruby",), "org.jruby.Main", ("--disable-gems", "{files}/words.rb"), slow=True),
    RealProgram("closure-compiler", ("closure-compiler",), "com.google.javascript.jscomp.CommandLineRunner",
                ("--compilation_level", "ADVANCED", "--js", "{files}/words.js", "--externs", "{files}/externs.js"), slow=True),
    RealProgram("beanshell", ("beanshell",), "bsh.Interpreter", ("{files}/words.bsh",)),
    RealProgram("plantuml", ("plantuml",), "net.sourceforge.plantuml.Run",
                ("-tutxt", "-o", "{work}", "{files}/talk.puml"), shown=("talk.utxt",), jvm_arguments=("-Djava.awt.headless=true",)),
    RealProgram("felix", ("felix",), "org.apache.felix.main.Main", ("{work}/cache",),
                jvm_arguments=("-Dfelix.auto.deploy.dir={work}/bundle", "-Dfelix.auto.deploy.action=install,start",
                               "-Dorg.osgi.framework.storage.clean=onFirstInit", "-Dfelix.log.level=1"), bundle=True),
)
