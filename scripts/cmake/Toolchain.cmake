# Compiler settings and packages of all targets: iprof_common (warnings, sanitizers, include root).
option(IPROF_WERROR "Treat warnings as errors" OFF)
set(IPROF_SANITIZE "" CACHE STRING "Comma-separated sanitizers: address, undefined, thread")
option(IPROF_COVERAGE "Instrument for coverage" OFF)
option(IPROF_FUZZ "Build the fuzz targets (clang only)" OFF)
set(IPROF_PRECOMPILED "" CACHE FILEPATH "A precompiled header for the rooms, made with their options (clang only)")

find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # Paths are relative to the checkout, so that the compiler cache works for every clone.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} CCACHE_NOHASHDIR=1 CCACHE_DEPEND=1
                                  CCACHE_SLOPPINESS=pch_defines,time_macros ${CCACHE_PROGRAM})
endif()

include(Zlib)
add_library(iprof_common INTERFACE)
target_include_directories(iprof_common INTERFACE ${CMAKE_SOURCE_DIR})
include(Fmt)
target_link_libraries(iprof_common INTERFACE iprof_fmt)
target_compile_options(iprof_common INTERFACE -Wall -Wextra -Wconversion)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # False warnings on "text" + std::string when optimising (GCC bug 105651, fixed in 13).
  target_compile_options(iprof_common INTERFACE -Wno-restrict)
endif()
if(CMAKE_UNITY_BUILD AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # It is about types in headers, and takes the sources of a unity build for headers.
  target_compile_options(iprof_common INTERFACE -Wno-subobject-linkage)
endif()
if(IPROF_WERROR)
  target_compile_options(iprof_common INTERFACE -Werror)
endif()
if(IPROF_SANITIZE)
  target_compile_options(iprof_common INTERFACE -fsanitize=${IPROF_SANITIZE} -fno-omit-frame-pointer
                                                -fno-sanitize-recover=all)
  target_link_options(iprof_common INTERFACE -fsanitize=${IPROF_SANITIZE})
endif()
if(IPROF_COVERAGE)
  target_compile_options(iprof_common INTERFACE --coverage)
  target_link_options(iprof_common INTERFACE --coverage)
endif()
if(IPROF_FUZZ)
  target_compile_options(iprof_common INTERFACE -fsanitize=fuzzer-no-link)
endif()

# iprof_room(NAME SOURCES a.cc b.cc LIBS other ... [ALONE a.cc]): the static library of one room. In a unity build
# (CMAKE_UNITY_BUILD), which compiles eight sources together in half of the time, sources in ALONE are compiled by
# themselves: they use a name of their own for something else than another source of the room.
function(iprof_room name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LIBS;ALONE" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES})
  target_link_libraries(${name} PUBLIC iprof_common ${ARG_LIBS})
  set_source_files_properties(${ARG_ALONE} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  if(IPROF_PRECOMPILED)
    target_compile_options(${name} PRIVATE "SHELL:-include-pch ${IPROF_PRECOMPILED}")
  endif()
endfunction()
