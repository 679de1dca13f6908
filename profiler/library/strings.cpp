// The members of std::string that libstdc++ keeps in its shared library (see trees.cpp).
#include <string>

template class std::basic_string<char>;
