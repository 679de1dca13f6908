#pragma once
// `@file` on a command line stands for the words in the file.
#include "support/result.h"
#include <string>
#include <vector>

namespace symbiosis {

// As GNU compilers read them: words between white space, quotes and backslashes protect; a file that cannot be
// read is an ordinary argument; files may name others.
Result<std::vector<std::string>> expandResponseFiles(const std::vector<std::string>& arguments);

} // namespace symbiosis
