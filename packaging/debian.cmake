# Debian packages, by `cpack -G DEB` (./run deb): hiptemper, libhiptemper0 and libhiptemper-dev.
option(HT_DEBIAN "Install what Debian packages hold besides: changelogs and copyrights" OFF)
set(HT_PACKAGE_CONTACT "hiptemper authors <maintainers@hiptemper.org>" CACHE STRING "Maintainer of the packages")

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME hiptemper)
set(CPACK_PACKAGE_CONTACT ${HT_PACKAGE_CONTACT})
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
    OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_COMPONENTS_ALL program library development)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_PACKAGE_RELEASE 0upstream1) # less than any of Debian's own
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
# The libraries that are linked; those that are loaded, and the compilers, are named.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${PROJECT_BINARY_DIR})
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)

set(version "${PROJECT_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE}")
set(about "hiptemper rewrites HIP kernels into templates whose performance choices
are parameters, searches them, checks every variant's output against the
original kernel, times the best ones next to it, and writes the tuned source
and a patch. It also runs without a GPU, on the machine's cores.")
set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME hiptemper)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_DEPENDS "libopenblas0-pthread | libopenblas0, clang-19, libclang1-19, libclang-common-19-dev, libamdhip64-dev")
set(CPACK_DEBIAN_PROGRAM_PACKAGE_RECOMMENDS "clang-format-19, libclang-rt-19-dev, lld-19, rocm-device-libs")
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SUGGESTS "gnuplot-nox") # plots of reports
set(CPACK_DEBIAN_PROGRAM_DESCRIPTION "autotuner for HIP kernels\n${about}")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_NAME libhiptemper0)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_DEPENDS "hiptemper (= ${version})")
set(CPACK_DEBIAN_LIBRARY_DESCRIPTION "autotuner for HIP kernels: shared library\n${about}\n\nThis package has the shared library.")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libhiptemper-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "libhiptemper0 (= ${version})")
set(CPACK_DEBIAN_DEVELOPMENT_DESCRIPTION "autotuner for HIP kernels: headers\n${about}\n\nThis package has headers, pkg-config and CMake files.")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_CONTROL_EXTRA ${CMAKE_CURRENT_SOURCE_DIR}/debian/triggers)
include(CPack)

if(HT_DEBIAN)
  set(changelog ${CMAKE_CURRENT_BINARY_DIR}/changelog.Debian)
  configure_file(debian/changelog.in ${changelog} @ONLY)
  add_custom_command(OUTPUT ${changelog}.gz COMMAND gzip -9nkf ${changelog} DEPENDS ${changelog} VERBATIM)
  add_custom_target(changelog ALL DEPENDS ${changelog}.gz)
  foreach(pair program=hiptemper library=libhiptemper0 development=libhiptemper-dev)
    string(REGEX MATCH "^([^=]*)=(.*)$" pair ${pair})
    set(folder ${CMAKE_INSTALL_DATADIR}/doc/${CMAKE_MATCH_2})
    install(FILES ${changelog}.gz debian/copyright DESTINATION ${folder} COMPONENT ${CMAKE_MATCH_1})
  endforeach()
  install(FILES debian/libhiptemper0.overrides DESTINATION ${CMAKE_INSTALL_DATADIR}/lintian/overrides RENAME libhiptemper0
          COMPONENT library)
endif()
