# cmake/GodwitModule.cmake: how a folder of src/ becomes a library and a test program.
#
#   godwit_module(store DEPS base LINK PkgConfig::hwy)
#
# takes every .cc of the folder, so that no file can be forgotten: x.cc goes into godwit_store,
# x_test.cc into store_test. DEPS are folders, LINK are outside libraries, EXCLUDE are files with a
# main() of their own, ALONE are files that are compiled by themselves whatever GODWIT_BATCHES says.

add_library(godwit_flags INTERFACE)
target_compile_features(godwit_flags INTERFACE cxx_std_20)
target_include_directories(godwit_flags INTERFACE
  ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src ${PROJECT_BINARY_DIR}/generated)
# Structs of options and messages have defaults; what an initializer leaves out is meant.
target_compile_options(godwit_flags INTERFACE
  -Wall -Wextra -Wconversion -Wshadow -Wno-missing-field-initializers -Werror)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # GCC 12 sees overlaps in "text" + std::string that cannot be (its bug 105651).
  target_compile_options(godwit_flags INTERFACE -Wno-restrict)
endif()
# The same bits on every instruction set: multiplications and additions are fused only by name.
target_compile_options(godwit_flags INTERFACE -ffp-contract=off)
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  target_compile_options(godwit_flags INTERFACE -Wthread-safety)
endif()

# What nearly every file includes is parsed once: two thirds of a build's time is reading headers.
# Off where it would hide a missing #include: with clang-tidy, which has its own compiler.
option(GODWIT_PRECOMPILE "precompile the standard library's and the tests' headers" OFF)
set(godwit_common_headers <algorithm> <array> <atomic> <chrono> <cmath> <cstdint> <cstring> <deque>
    <filesystem> <functional> <limits> <map> <memory> <numeric> <optional> <set> <span> <string>
    <string_view> <thread> <unordered_map> <utility> <variant> <vector> <fmt/format.h>)
if(GODWIT_PRECOMPILE)
  file(WRITE ${PROJECT_BINARY_DIR}/generated/precompiled.cc "")
  # A precompiled header holds for one set of flags: libraries are position independent, tests not.
  foreach(kind library test)
    add_library(godwit_${kind}_headers OBJECT ${PROJECT_BINARY_DIR}/generated/precompiled.cc)
    target_link_libraries(godwit_${kind}_headers PRIVATE godwit_flags Threads::Threads fmt::fmt)
    target_precompile_headers(godwit_${kind}_headers PRIVATE ${godwit_common_headers})
  endforeach()
  set_target_properties(godwit_library_headers PROPERTIES POSITION_INDEPENDENT_CODE ON)
  # Bug 105651 again: GCC 12 forgets which precompiled code is the system's.
  set(godwit_forgotten -Wno-array-bounds -Wno-stringop-overflow)
  if(GODWIT_TESTS)
    target_link_libraries(godwit_test_headers PRIVATE GTest::gmock)
    target_precompile_headers(godwit_test_headers PRIVATE <gmock/gmock.h> <gtest/gtest.h>)
  endif()
endif()

# Files of a folder are compiled several at a time, so that what they include is read once for all
# of them. Off where it would hide a missing #include, as above.
option(GODWIT_BATCHES "compile several files of a folder as one" OFF)
if(GODWIT_BATCHES)
  find_package(Python3 REQUIRED COMPONENTS Interpreter)
endif()

function(godwit_batch target files alone)
  list(TRANSFORM alone PREPEND "--alone=")
  execute_process(
    COMMAND ${Python3_EXECUTABLE} -B ${PROJECT_SOURCE_DIR}/tools/batches.py ${alone} ${files}
    OUTPUT_VARIABLE batches COMMAND_ERROR_IS_FATAL ANY)
  string(REPLACE ";" "\\;" batches "${batches}")
  string(REPLACE "\n" ";" batches "${batches}")
  set(number 0)
  foreach(batch IN LISTS batches)
    if(batch)
      math(EXPR number "${number} + 1")
      set_source_files_properties(${batch} PROPERTIES UNITY_GROUP "${target}_${number}")
    endif()
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # It warns of unnamed namespaces in what it takes for headers: all but the batch's own file.
    target_compile_options(${target} PRIVATE -Wno-subobject-linkage)
  endif()
endfunction()

function(godwit_module name)
  cmake_parse_arguments(arg "" "" "EXCLUDE;ALONE;DEPS;LINK;TEST_LINK" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS *.cc)
  foreach(file IN LISTS arg_EXCLUDE)
    list(REMOVE_ITEM sources ${CMAKE_CURRENT_SOURCE_DIR}/${file})
  endforeach()
  set(tests ${sources})
  list(FILTER sources EXCLUDE REGEX "_test\\.cc$")
  list(FILTER tests INCLUDE REGEX "_test\\.cc$")
  list(TRANSFORM arg_DEPS PREPEND godwit_)

  set(library godwit_${name})
  if(sources)
    add_library(${library} STATIC ${sources})
    set_target_properties(${library} PROPERTIES POSITION_INDEPENDENT_CODE ON)
    if(GODWIT_PRECOMPILE)
      target_precompile_headers(${library} REUSE_FROM godwit_library_headers)
      if(CMAKE_BUILD_TYPE STREQUAL "Release" AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU"
         AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
        target_compile_options(${library} PRIVATE ${godwit_forgotten})
      endif()
    endif()
    if(GODWIT_BATCHES)
      godwit_batch(${library} "${sources}" "${arg_ALONE}")
    endif()
    set(scope PUBLIC)
  else()
    add_library(${library} INTERFACE)
    set(scope INTERFACE)
  endif()
  target_link_libraries(${library} ${scope} godwit_flags Threads::Threads ${arg_DEPS} ${arg_LINK})

  if(GODWIT_TESTS AND tests)
    add_executable(${name}_test ${tests})
    target_link_libraries(${name}_test PRIVATE ${library} ${arg_TEST_LINK} GTest::gmock_main)
    if(GODWIT_PRECOMPILE)
      target_precompile_headers(${name}_test REUSE_FROM godwit_test_headers)
      if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
        target_compile_options(${name}_test PRIVATE ${godwit_forgotten})
        if(CMAKE_CXX_FLAGS MATCHES "-fsanitize")  # instrumented jthreads: seem used before made
          target_compile_options(${name}_test PRIVATE -Wno-maybe-uninitialized)
        endif()
      endif()
    endif()
    if(GODWIT_BATCHES)
      godwit_batch(${name}_test "${tests}" "${arg_ALONE}")
    endif()
    gtest_discover_tests(${name}_test TEST_PREFIX "${name}." DISCOVERY_TIMEOUT 60
                         PROPERTIES TIMEOUT 120 LABELS unit)
  endif()
endfunction()
