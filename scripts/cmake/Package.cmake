# What is installed besides the products: documentation and licence. Also the .deb that `cpack -G DEB` makes of what is
# installed.
install(FILES LICENSE README.md CHANGELOG.md CONTRIBUTING.md SECURITY.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DOCDIR})

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_PACKAGE_CONTACT "the iprofagent project")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "GraalVM PGO profiles from any stock JVM")
string(CONCAT CPACK_PACKAGE_DESCRIPTION
  "A native agent for HotSpot 17 and later that writes profiles for profile-guided optimisation (.iprof), and a tool, "
  "iprof, to look at, check, compare and merge them.")
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(aarch64|arm64)$")
  set(CPACK_DEBIAN_PACKAGE_ARCHITECTURE arm64)
elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|amd64|AMD64)$")
  set(CPACK_DEBIAN_PACKAGE_ARCHITECTURE amd64)
endif()
set(IPROF_GLIBC "" CACHE STRING "The oldest glibc on which the products run; empty: what dpkg-shlibdeps finds")
if(IPROF_GLIBC)
  set(CPACK_DEBIAN_PACKAGE_DEPENDS "libc6 (>= ${IPROF_GLIBC})")
else()
  set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
endif()
include(CPack)
