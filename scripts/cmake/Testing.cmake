# Test targets: iprof_test(NAME SOURCES … LIBS …) is one Catch2 binary for one room, registered with ctest;
# iprof_fuzz(NAME SOURCES … LIBS …) is one libFuzzer target, built only with IPROF_FUZZ; iprof_fuzz_targets is all of them.
include(CTest)

if(BUILD_TESTING)
  find_package(Catch2 2 REQUIRED)
  file(WRITE ${CMAKE_BINARY_DIR}/catch_main.cc.in "#define CATCH_CONFIG_MAIN\n#include <catch2/catch.hpp>\n")
  configure_file(${CMAKE_BINARY_DIR}/catch_main.cc.in ${CMAKE_BINARY_DIR}/catch_main.cc COPYONLY)
  add_library(iprof_catch_main STATIC ${CMAKE_BINARY_DIR}/catch_main.cc)
  target_link_libraries(iprof_catch_main PUBLIC Catch2::Catch2)
  # Catch2's header costs more than most tests: g++ reads it once for all of them. Not clang, because clang-tidy reads
  # its commands without building.
  set(IPROF_TEST_OPTIONS $<$<CONFIG:Release>:-O1>)  # the tests' own code, not what they test
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    foreach(warning array-bounds stringop-overflow mismatched-new-delete)  # false with -O1: std::string(n, 'x') + "y"
      list(APPEND IPROF_TEST_OPTIONS $<$<CONFIG:Release>:-Wno-${warning}>)
    endforeach()
    file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/test_headers.cc CONTENT "int main() {}\n")
    add_executable(iprof_test_headers ${CMAKE_BINARY_DIR}/test_headers.cc)  # an executable, because tests are: -fPIE
    target_link_libraries(iprof_test_headers PRIVATE iprof_common Catch2::Catch2)
    target_compile_options(iprof_test_headers PRIVATE ${IPROF_TEST_OPTIONS})
    target_precompile_headers(iprof_test_headers PRIVATE <catch2/catch.hpp> <fmt/format.h> <string> <vector>)
  endif()
endif()

function(iprof_test name)
  if(NOT BUILD_TESTING)
    return()
  endif()
  cmake_parse_arguments(ARG "" "" "SOURCES;LIBS" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE iprof_common iprof_catch_main ${ARG_LIBS})
  target_compile_options(${name} PRIVATE ${IPROF_TEST_OPTIONS})
  if(TARGET iprof_test_headers)
    target_precompile_headers(${name} REUSE_FROM iprof_test_headers)
  endif()
  add_test(NAME ${name} COMMAND ${name})
  set_tests_properties(${name} PROPERTIES LABELS unit)
endfunction()

function(iprof_fuzz name)
  if(NOT IPROF_FUZZ)
    return()
  endif()
  cmake_parse_arguments(ARG "" "" "SOURCES;LIBS" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE iprof_common ${ARG_LIBS})
  target_link_options(${name} PRIVATE -fsanitize=fuzzer)
  if(NOT TARGET iprof_fuzz_targets)
    add_custom_target(iprof_fuzz_targets)
  endif()
  add_dependencies(iprof_fuzz_targets ${name})
endfunction()
