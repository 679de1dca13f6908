#include "symexec/library_names.h"
#include "trace/symbolic_trace.h"
#include <algorithm>
#include <array>
#include <vector>

namespace symbiosis {
namespace {

struct Component {
  std::string joint; // before it: "", ".", "->"
  std::string text;  // with its indices: "items[3]"
};

std::vector<Component> split(const std::string& name) {
  std::vector<Component> result{{}};
  int brackets = 0;
  for (size_t i = 0; i < name.size(); ++i) {
    if (name[i] == '[' || name[i] == '(') ++brackets;
    if (name[i] == ']' || name[i] == ')') --brackets;
    const bool isArrow = name.compare(i, 2, "->") == 0;
    if (brackets == 0 && (isArrow || name[i] == '.')) {
      result.push_back({isArrow ? "->" : ".", ""});
      i += isArrow ? 1 : 0;
    } else {
      result.back().text += name[i];
    }
  }
  return result;
}

bool isOfLibrary(const Component& component) {
  return isReservedName(component.text) || component.text == "_Value";
}

// What its users call it.
struct Spoken {
  std::string_view member, name;
};
constexpr std::array kSpoken = {Spoken{"_M_start", "begin()"},
                                Spoken{"_M_finish", "end()"},
                                Spoken{"_M_end_of_storage", "capacity()"},
                                Spoken{"_M_string_length", "size()"},
                                Spoken{"_M_node_count", "size()"},
                                Spoken{"_M_element_count", "size()"}};

} // namespace

bool isLibraryName(std::string_view name) {
  constexpr std::string_view kThis = "this->";
  return isReservedName(name) || name == "this" ||
         (name.starts_with(kThis) && isReservedName(name.substr(kThis.size())));
}

std::string withoutLibraryParts(const std::string& name) {
  std::vector<Component> parts = split(name);
  if (parts.size() == 1 || isReservedName(parts[0].text)) return name;
  const std::string last = parts.back().text;
  // `this` of a class of a library.
  const bool isVague = parts[0].text == "this" && isOfLibrary(parts[1]);
  auto kept = std::remove_if(parts.begin() + 1, parts.end(), isOfLibrary);
  parts.erase(kept, parts.end());
  if (isVague && parts.size() == 1) return name;
  if (isVague) parts.erase(parts.begin()), parts[0].joint.clear();
  std::string result;
  for (const Component& part : parts) result += part.joint + part.text;
  for (const Spoken& spoken : kSpoken)
    if (last == spoken.member) result += "." + std::string(spoken.name);
  return result;
}

std::string nameOfHolder(const std::string& name) {
  if (name.starts_with("*")) return name.substr(1);
  if (const size_t arrow = name.rfind("->"); arrow != std::string::npos) return name.substr(0, arrow);
  return name.substr(0, name.find('['));
}

} // namespace symbiosis
