# For `cmake -DCMAKE_TOOLCHAIN_FILE=<prefix>/share/symbiosis/toolchain.cmake`: C and C++ are compiled with `symbiosis cc`
# and `symbiosis c++`, so that the programs can be profiled.
set(CMAKE_C_COMPILER ${CMAKE_CURRENT_LIST_DIR}/../../bin/symbiosis-cc)
set(CMAKE_CXX_COMPILER ${CMAKE_CURRENT_LIST_DIR}/../../bin/symbiosis-c++)
