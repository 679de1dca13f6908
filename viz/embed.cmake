# cmake -DOUT=page.cpp -DFOLDER=viz/page -P embed.cmake: the files of the page as strings of C++.
set(files html css js)
set(names kHtml kCss kScript)
set(code "// Made from viz/page by embed.cmake.\n#include \"viz/page.h\"\n\nnamespace symbiosis::page {\n\n")
foreach(file name IN ZIP_LISTS files names)
  file(READ ${FOLDER}/page.${file} text)
  string(APPEND code "const std::string_view ${name} = R\"page(${text})page\";\n\n")
endforeach()
file(WRITE ${OUT} "${code}} // namespace symbiosis::page\n")
