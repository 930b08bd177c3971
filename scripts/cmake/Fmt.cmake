# iprof_fmt: fmt as a static library. Debian has none, and the agent may need only glibc's libraries.
#
# Compiling fmt once saves four seconds for each file that formats text. What has to be instantiated differs between
# versions of fmt; with versions that we have not tried, fmt is header-only.
find_path(FMT_INCLUDE_DIR fmt/core.h REQUIRED)
file(STRINGS ${FMT_INCLUDE_DIR}/fmt/core.h fmt_version_line REGEX "#define FMT_VERSION [0-9]+")
if(fmt_version_line MATCHES "FMT_VERSION 9[0-9][0-9][0-9][0-9]$")
  add_library(iprof_fmt STATIC ${CMAKE_CURRENT_LIST_DIR}/fmt_library.cc)
  if(IPROF_SANITIZE)
    target_compile_options(iprof_fmt PRIVATE -fsanitize=${IPROF_SANITIZE} -fno-omit-frame-pointer)
  endif()
else()
  add_library(iprof_fmt INTERFACE)
  target_compile_definitions(iprof_fmt INTERFACE FMT_HEADER_ONLY "FMT_STATIC_THOUSANDS_SEPARATOR=','")
endif()
