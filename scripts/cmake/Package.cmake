# What is installed besides the products: documentation and licence. Also the .deb and .rpm that `cpack -G DEB` and `cpack -G RPM`
# make of what is installed. With SOURCE_DATE_EPOCH, equal files give equal packages.
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

set(CPACK_RPM_PACKAGE_LICENSE Apache-2.0)
set(CPACK_RPM_FILE_NAME RPM-DEFAULT)
set(CPACK_RPM_PACKAGE_ARCHITECTURE ${CMAKE_SYSTEM_PROCESSOR})
if(IPROF_GLIBC)
  # What rpmbuild finds by itself depends on the machine that it runs on.
  set(CPACK_RPM_PACKAGE_AUTOREQPROV OFF)
  set(CPACK_RPM_PACKAGE_REQUIRES "glibc >= ${IPROF_GLIBC}")
endif()
string(CONCAT CPACK_RPM_SPEC_MORE_DEFINE
  "%define use_source_date_epoch_as_buildtime 1\n%define clamp_mtime_to_source_date_epoch 1\n%define _buildhost reproducible\n"
  "%define _build_id_links none\n%define __os_install_post %{nil}\n")
# Folders that other packages own, too.
set(CPACK_RPM_EXCLUDE_FROM_AUTO_FILELIST_ADDITION
  /usr/share/java /usr/share/man /usr/share/man/man1 /usr/share/bash-completion /usr/share/bash-completion/completions /usr/share/zsh
  /usr/share/zsh/site-functions /usr/share/fish /usr/share/fish/vendor_completions.d)
include(CPack)
