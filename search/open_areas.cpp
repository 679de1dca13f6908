#include "search/open_areas.h"
#include <algorithm>

namespace symbiosis {

bool isWithin(const ProgressBox& box, const std::vector<size_t>& progress) {
  for (size_t thread = 0; thread < box.size(); ++thread)
    if (progress[thread] < box[thread].low || progress[thread] > box[thread].high) return false;
  return true;
}

// Adds to `outside` what of the area is not in the box; returns what is, if anything.
static bool split(OpenArea area, const ProgressBox& box, std::vector<OpenArea>& outside, OpenArea& inside) {
  for (size_t thread = 0; thread < box.size(); ++thread)
    if (area.box[thread].high < box[thread].low || area.box[thread].low > box[thread].high) {
      outside.push_back(std::move(area));
      return false;
    }
  for (size_t thread = 0; thread < box.size(); ++thread) {
    ProgressSpan& own = area.box[thread];
    if (own.low < box[thread].low) {
      OpenArea below = area;
      below.box[thread].high = box[thread].low - 1;
      outside.push_back(std::move(below));
      own.low = box[thread].low;
    }
    if (own.high > box[thread].high) {
      OpenArea above = area;
      above.box[thread].low = box[thread].high + 1;
      outside.push_back(std::move(above));
      own.high = box[thread].high;
    }
  }
  inside = std::move(area);
  return true;
}

static ProgressBox upTo(const std::vector<size_t>& limits) {
  ProgressBox box;
  for (size_t limit : limits) box.push_back({0, limit});
  return box;
}

std::vector<OpenArea> withoutBox(const std::vector<OpenArea>& areas, const ProgressBox& box) {
  std::vector<OpenArea> result;
  OpenArea inside;
  for (const OpenArea& area : areas) split(area, box, result, inside);
  return result;
}

std::vector<OpenArea> without(const std::vector<OpenArea>& areas, const std::vector<size_t>& limits) {
  return withoutBox(areas, upTo(limits));
}

std::vector<OpenArea> excluding(const std::vector<OpenArea>& areas, const std::vector<size_t>& limits,
                                ExprId condition) {
  std::vector<OpenArea> result;
  for (const OpenArea& area : areas) {
    OpenArea inside;
    if (!split(area, upTo(limits), result, inside)) continue;
    inside.excluded.push_back(condition);
    result.push_back(std::move(inside));
  }
  return result;
}

} // namespace symbiosis
