# A room is a folder with one static library of the same name, namespace symbiosis, included as "room/file.h".
#
#   symbiosis_room(trace SOURCES event.cpp ... LINKS symbiosis_support)
function(symbiosis_flags target)
  target_include_directories(${target} PUBLIC ${CMAKE_SOURCE_DIR})
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wshadow -Wno-unused-parameter
                         # libstdc++ 12's own stable_sort uses what it deprecates, and clang says so where it is called
                         $<$<CXX_COMPILER_ID:Clang>:-Wno-deprecated-declarations>
                         $<$<BOOL:${SYMBIOSIS_WERROR}>:-Werror>)
  if(SYMBIOSIS_SANITIZE)
    target_compile_options(${target} PRIVATE -fsanitize=${SYMBIOSIS_SANITIZE} -fno-omit-frame-pointer
                           # under its own sanitizers GCC 12 takes parts of std::regex for uninitialised
                           $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
    target_link_options(${target} PUBLIC -fsanitize=${SYMBIOSIS_SANITIZE})
  endif()
endfunction()

function(symbiosis_room name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINKS" ${ARGN})
  add_library(symbiosis_${name} STATIC ${ARG_SOURCES})
  symbiosis_flags(symbiosis_${name})
  target_link_libraries(symbiosis_${name} PUBLIC ${ARG_LINKS})
endfunction()

# LLVM's headers are system headers for us: their warnings are not ours.
function(symbiosis_use_llvm target)
  target_include_directories(${target} SYSTEM PUBLIC ${LLVM_INCLUDE_DIRS})
  separate_arguments(definitions NATIVE_COMMAND "${LLVM_DEFINITIONS}")
  target_compile_definitions(${target} PUBLIC ${definitions})
endfunction()
