# ZLIB::ZLIB: the system's static library, or, with IPROF_ZLIB_SOURCE, what is built here from that folder.
#
# It is static because the agent may need only the C library.
set(IPROF_ZLIB_SOURCE "" CACHE PATH "zlib's sources; empty: the system's libz.a")
if(IPROF_ZLIB_SOURCE)
  set(files adler32 compress crc32 deflate gzclose gzlib gzread gzwrite infback inffast inflate inftrees trees uncompr zutil)
  list(TRANSFORM files PREPEND ${IPROF_ZLIB_SOURCE}/)
  list(TRANSFORM files APPEND .c)
  add_library(iprof_zlib STATIC ${files})
  target_include_directories(iprof_zlib SYSTEM PUBLIC ${IPROF_ZLIB_SOURCE})
  target_compile_definitions(iprof_zlib PRIVATE HAVE_UNISTD_H)
  target_compile_options(iprof_zlib PRIVATE -Wno-deprecated-non-prototype)
  add_library(ZLIB::ZLIB ALIAS iprof_zlib)
else()
  set(ZLIB_USE_STATIC_LIBS ON)
  find_package(ZLIB REQUIRED)
endif()
