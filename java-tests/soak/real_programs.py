"""Real programs from Maven Central, each with a small job whose output does not change from run to run.

They are a differential test: with the agent and without it a program must print the same and end with the same status. They were
chosen for being different: compilers, interpreters of other languages with class loaders and generated code of their own, databases,
a large shaded program, an OSGi framework.
"""

import dataclasses
import pathlib

FILES = pathlib.Path(__file__).resolve().parent / "files"


@dataclasses.dataclass(frozen=True)
class RealProgram:
    name: str
    artifacts: tuple  # Maven coordinates; they make up the class path
    main: str
    arguments: tuple  # {files}: the folder of input files, {work}: an empty folder
    shown: tuple = ()  # files in {work} whose content belongs to the output
    jvm_arguments: tuple = ()
    bundle: bool = False  # wants an OSGi bundle in {work}/bundle
    slow: bool = False  # takes longer than a few seconds: only in the long run


PROGRAMS = (
    RealProgram("ecj", ("org.eclipse.jdt:ecj:3.33.0",), "org.eclipse.jdt.internal.compiler.batch.Main",
                ("--release", "17", "-proc:none", "-verbose", "-d", "none", "{files}/Shapes.java")),
    RealProgram("google-java-format", ("com.google.googlejavaformat:google-java-format:1.22.0:all-deps",),
                "com.google.googlejavaformat.java.Main", ("{files}/Shapes.java",),
                jvm_arguments=tuple(f"--add-exports=jdk.compiler/com.sun.tools.javac.{package}=ALL-UNNAMED"
                                    for package in ("api", "code", "file", "parser", "tree", "util"))),
    RealProgram("antlr", ("org.antlr:antlr4:4.13.2:complete",), "org.antlr.v4.Tool",
                ("-Xexact-output-dir", "-o", "{work}", "{files}/Sums.g4"), shown=("SumsParser.java", "SumsLexer.java", "Sums.interp")),
    RealProgram("rhino", ("org.mozilla:rhino:1.7.15",), "org.mozilla.javascript.tools.shell.Main", ("-opt", "9", "{files}/words.js")),
    RealProgram("clojure", ("org.clojure:clojure:1.12.1", "org.clojure:spec.alpha:0.5.238", "org.clojure:core.specs.alpha:0.4.74"),
                "clojure.main", ("{files}/words.clj",)),
    RealProgram("h2", ("com.h2database:h2:2.2.224",), "org.h2.tools.RunScript",
                ("-url", "jdbc:h2:mem:soak", "-script", "{files}/orders.sql", "-showResults")),
    RealProgram("hsqldb", ("org.hsqldb:hsqldb:2.7.3", "org.hsqldb:sqltool:2.7.3"), "org.hsqldb.cmdline.SqlTool",
                ("--inlineRc=url=jdbc:hsqldb:mem:soak,user=SA,password=", "{files}/orders.sql")),
    RealProgram("groovy", ("org.apache.groovy:groovy:4.0.27",), "groovy.ui.GroovyMain", ("{files}/words.groovy",)),
    RealProgram("saxon", ("net.sf.saxon:Saxon-HE:12.5", "org.xmlresolver:xmlresolver:5.2.2"), "net.sf.saxon.Query",
                ("-q:{files}/words.xq", "!indent=yes")),
    RealProgram("jython", ("org.python:jython-standalone:2.7.4",), "org.python.util.jython", ("-S", "{files}/words.py"),
                jvm_arguments=("-Dpython.cachedir.skip=true",), slow=True),
    RealProgram("jruby", ("org.jruby:jruby-complete:9.4.8.0",), "org.jruby.Main", ("--disable-gems", "{files}/words.rb"), slow=True),
    RealProgram("closure-compiler", ("com.google.javascript:closure-compiler:v20240317",), "com.google.javascript.jscomp.CommandLineRunner",
                ("--compilation_level", "ADVANCED", "--js", "{files}/words.js", "--externs", "{files}/externs.js"), slow=True),
    RealProgram("beanshell", ("org.apache-extras.beanshell:bsh:2.0b6",), "bsh.Interpreter", ("{files}/words.bsh",)),
    RealProgram("plantuml", ("net.sourceforge.plantuml:plantuml-mit:1.2024.6",), "net.sourceforge.plantuml.Run",
                ("-tutxt", "-o", "{work}", "{files}/talk.puml"), shown=("talk.utxt",), jvm_arguments=("-Djava.awt.headless=true",)),
    RealProgram("felix", ("org.apache.felix:org.apache.felix.main:7.0.5",), "org.apache.felix.main.Main", ("{work}/cache",),
                jvm_arguments=("-Dfelix.auto.deploy.dir={work}/bundle", "-Dfelix.auto.deploy.action=install,start",
                               "-Dorg.osgi.framework.storage.clean=onFirstInit", "-Dfelix.log.level=1"), bundle=True),
)
