# Compiler settings and packages of all targets: iprof_common (warnings, sanitizers, include root).
option(IPROF_WERROR "Treat warnings as errors" OFF)
set(IPROF_SANITIZE "" CACHE STRING "Comma-separated sanitizers: address, undefined, thread")
option(IPROF_COVERAGE "Instrument for coverage" OFF)
option(IPROF_FUZZ "Build the fuzz targets (clang only)" OFF)
set(IPROF_UNITY 0 CACHE STRING "How many sources of a room are compiled together; 0: each by itself")
find_package(Python3 3.9 REQUIRED COMPONENTS Interpreter)

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
  target_compile_options(iprof_common INTERFACE -Wno-restrict -Wno-stringop-overflow)
endif()
if(IPROF_UNITY AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
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
  # Checks that AddressSanitizer makes, too, or that find nothing on x86 would be a quarter of the time to compile. The preset ubsan has them.
  target_compile_options(iprof_common INTERFACE -fsanitize=fuzzer-no-link -fno-sanitize=null,alignment,object-size,vptr)
endif()

# The headers of the C++ library and of fmt cost more than most sources: g++ reads them once for all rooms. clang does not, so that a
# source that lacks an include does not compile there, and because clang-tidy reads its commands without building.
option(IPROF_PRECOMPILED "g++ reads the headers of the C++ library once for all rooms" ON)
if(IPROF_PRECOMPILED AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/room_headers.cc CONTENT "\n")
  add_library(iprof_room_headers STATIC ${CMAKE_BINARY_DIR}/room_headers.cc)
  target_link_libraries(iprof_room_headers PRIVATE iprof_common)
  target_precompile_headers(iprof_room_headers PRIVATE
    <algorithm> <array> <atomic> <bit> <chrono> <cstring> <deque> <functional> <map> <memory> <mutex> <optional> <set> <span> <string>
    <string_view> <unordered_map> <unordered_set> <utility> <variant> <vector> <fmt/core.h>)
endif()

# iprof_room(NAME SOURCES a.cc b.cc LIBS other ... [ALONE a.cc]): the static library of one room. A unity build (IPROF_UNITY)
# compiles several sources together. Sources in ALONE are compiled by themselves: CMake gives them properties, such as
# definitions, or they configure a header.
function(iprof_room name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LIBS;ALONE" ${ARGN})
  iprof_unite(ARG_SOURCES ${name} "${ARG_ALONE}")
  add_library(${name} STATIC ${ARG_SOURCES})
  target_link_libraries(${name} PUBLIC iprof_common ${ARG_LIBS})
  if(TARGET iprof_room_headers)
    target_precompile_headers(${name} REUSE_FROM iprof_room_headers)
    if(CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
      # False warnings, such as those on "text" + std::string: g++ 12 takes the precompiled headers for our own code.
      target_compile_options(${name} PRIVATE -Wno-array-bounds -Wno-stringop-overread)
    endif()
    set_source_files_properties(${ARG_ALONE} PROPERTIES SKIP_PRECOMPILE_HEADERS ON)
  endif()
endfunction()

# iprof_unite(LIST NAME ALONE): in a unity build, replaces the sources in LIST, but for those in ALONE and those that the build
# makes, by what unite.py makes of them. It does so when CMake configures, as scripts/build does first: if you build without,
# and a name that you have just added clashes, configure again.
function(iprof_unite list name alone)
  set(together ${${list}})
  list(REMOVE_ITEM together ${alone})
  list(FILTER together EXCLUDE REGEX "^/|[$]")
  list(LENGTH together count)
  if(NOT IPROF_UNITY OR count LESS 2)
    return()
  endif()
  set(sources ${${list}})
  list(REMOVE_ITEM sources ${together})
  set(united ${CMAKE_CURRENT_BINARY_DIR}/united${IPROF_UNITY}/${name})
  set(stale FALSE)
  foreach(source IN LISTS together ITEMS CMakeLists.txt ${CMAKE_SOURCE_DIR}/scripts/cmake/unite.py)
    cmake_path(ABSOLUTE_PATH source)
    if(${source} IS_NEWER_THAN ${united}.txt)
      set(stale TRUE)
    endif()
  endforeach()
  if(stale)
    file(RELATIVE_PATH folder ${CMAKE_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR})
    file(MAKE_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/united${IPROF_UNITY})
    execute_process(
      COMMAND ${Python3_EXECUTABLE} -I ${CMAKE_SOURCE_DIR}/scripts/cmake/unite.py ${IPROF_UNITY} ${CMAKE_SOURCE_DIR} ${folder} ${united} ${together}
      OUTPUT_FILE ${united}.txt COMMAND_ERROR_IS_FATAL ANY)
  endif()
  file(STRINGS ${united}.txt united)
  set(${list} ${sources} ${united} PARENT_SCOPE)
endfunction()
