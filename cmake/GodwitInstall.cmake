# cmake/GodwitInstall.cmake: what `cmake --install` gives: the public headers, the folders of the
# library merged into one libgodwit.a, the program, a CMake package and a pkg-config file.
# Included after src/: it takes the folders that exist.
include(CMakePackageConfigHelpers)

set(GODWIT_LIBRARY_MODULES base wire net store placement clock pace core launch node)

# How a user of the installed library finds an outside library: a line for the CMake package and
# a module for pkg-config.
function(godwit_outside_library target find_var module_var)
  set(module "")
  if(target STREQUAL "Threads::Threads")
    set(find "find_dependency(Threads)")
  elseif(target STREQUAL "fmt::fmt")
    set(find "find_dependency(fmt)")
    set(module fmt)
  elseif(target STREQUAL "spdlog::spdlog")
    set(find "find_dependency(spdlog)")
    set(module spdlog)
  elseif(target STREQUAL "PkgConfig::hwy")
    set(find "find_dependency(PkgConfig)\npkg_check_modules(hwy REQUIRED IMPORTED_TARGET libhwy)")
    set(module libhwy)
  elseif(target STREQUAL "PkgConfig::xxhash")
    set(find "find_dependency(PkgConfig)\n")
    string(APPEND find "pkg_check_modules(xxhash REQUIRED IMPORTED_TARGET libxxhash)")
    set(module libxxhash)
  elseif(target STREQUAL "OpenSSL::Crypto")
    set(find "find_dependency(OpenSSL)")
    set(module libcrypto)
  else()
    message(FATAL_ERROR "cmake/GodwitInstall.cmake does not say how a user finds ${target}")
  endif()
  set(${find_var} "${find}" PARENT_SCOPE)
  set(${module_var} "${module}" PARENT_SCOPE)
endfunction()

add_library(godwit_archive STATIC)
set_target_properties(godwit_archive PROPERTIES
  OUTPUT_NAME godwit EXPORT_NAME godwit LINKER_LANGUAGE CXX)
target_compile_features(godwit_archive INTERFACE cxx_std_20)

set(outside_libraries "")
foreach(module IN LISTS GODWIT_LIBRARY_MODULES)
  if(NOT TARGET godwit_${module})
    continue()
  endif()
  get_target_property(type godwit_${module} TYPE)
  if(type STREQUAL "INTERFACE_LIBRARY")
    get_target_property(links godwit_${module} INTERFACE_LINK_LIBRARIES)
  else()
    get_target_property(links godwit_${module} LINK_LIBRARIES)
    target_sources(godwit_archive PRIVATE $<TARGET_OBJECTS:godwit_${module}>)
  endif()
  foreach(link IN LISTS links)
    if(link MATCHES "BUILD_INTERFACE")
      continue()
    elseif(NOT link MATCHES "^godwit_(.*)")
      list(APPEND outside_libraries ${link})
    elseif(NOT CMAKE_MATCH_1 IN_LIST GODWIT_LIBRARY_MODULES AND NOT link STREQUAL "godwit_flags")
      message(FATAL_ERROR "add ${CMAKE_MATCH_1} to GODWIT_LIBRARY_MODULES: ${module} needs it")
    endif()
  endforeach()
endforeach()
list(REMOVE_DUPLICATES outside_libraries)
# Some were found in their folder only and are unknown here; the package finds them again.
target_link_libraries(godwit_archive INTERFACE "$<INSTALL_INTERFACE:${outside_libraries}>")

set(GODWIT_FIND_DEPENDENCIES "")
set(GODWIT_PKG_CONFIG_REQUIRES "")
foreach(library IN LISTS outside_libraries)
  godwit_outside_library(${library} find module)
  string(APPEND GODWIT_FIND_DEPENDENCIES "${find}\n")
  list(APPEND GODWIT_PKG_CONFIG_REQUIRES ${module})
endforeach()
list(JOIN GODWIT_PKG_CONFIG_REQUIRES " " GODWIT_PKG_CONFIG_REQUIRES)

install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/godwit DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
        FILES_MATCHING PATTERN "*.h")
install(FILES ${PROJECT_BINARY_DIR}/generated/godwit/version.h
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/godwit)
install(TARGETS godwit_archive EXPORT godwit ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
        INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
if(TARGET godwit)
  install(TARGETS godwit RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/godwit)
install(EXPORT godwit NAMESPACE godwit:: FILE godwit-targets.cmake DESTINATION ${package_dir})
configure_package_config_file(
  ${PROJECT_SOURCE_DIR}/cmake/godwit-config.cmake.in ${PROJECT_BINARY_DIR}/godwit-config.cmake
  INSTALL_DESTINATION ${package_dir} NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/godwit-config-version.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/godwit-config.cmake
              ${PROJECT_BINARY_DIR}/godwit-config-version.cmake DESTINATION ${package_dir})

# The prefix is known only when installing, so the file finds it from where it lies.
set(pkg_config_dir ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
file(RELATIVE_PATH GODWIT_PREFIX_FROM_PKG_CONFIG
     ${CMAKE_INSTALL_PREFIX}/${pkg_config_dir} ${CMAKE_INSTALL_PREFIX})
configure_file(${PROJECT_SOURCE_DIR}/cmake/godwit.pc.in ${PROJECT_BINARY_DIR}/godwit.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/godwit.pc DESTINATION ${pkg_config_dir})
