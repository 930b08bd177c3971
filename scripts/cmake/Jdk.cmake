# The JDK that compiles Java code and has the JVMTI headers: found through JAVA_HOME, otherwise through the javac in
# PATH. Sets IPROF_JAVA_HOME, IPROF_JAVAC and the target iprof_jvmti (include paths of jvmti.h and jni.h).
if(DEFINED ENV{JAVA_HOME} AND EXISTS "$ENV{JAVA_HOME}/include/jvmti.h")
  set(IPROF_JAVA_HOME "$ENV{JAVA_HOME}")
else()
  find_program(IPROF_JAVAC_ON_PATH javac)
  if(IPROF_JAVAC_ON_PATH)
    file(REAL_PATH "${IPROF_JAVAC_ON_PATH}" _javac)
    cmake_path(GET _javac PARENT_PATH _bin)
    cmake_path(GET _bin PARENT_PATH IPROF_JAVA_HOME)
  endif()
endif()
if(NOT IPROF_JAVA_HOME OR NOT EXISTS "${IPROF_JAVA_HOME}/include/jvmti.h")
  message(FATAL_ERROR "No JDK with JVMTI headers found: install openjdk-17-jdk-headless "
                      "(scripts/install-deps does) or set JAVA_HOME to a JDK 17 or newer.")
endif()
set(IPROF_JAVAC "${IPROF_JAVA_HOME}/bin/javac")

add_library(iprof_jvmti INTERFACE)
target_include_directories(iprof_jvmti SYSTEM INTERFACE "${IPROF_JAVA_HOME}/include"
                                                        "${IPROF_JAVA_HOME}/include/linux")
