#include "replay/variables.h"

namespace symbiosis {

uint64_t Variables::find(uint64_t place) const {
  uint64_t top = place;
  while (above_.at(top) != top) top = above_.at(top);
  while (above_.at(place) != top) place = std::exchange(above_.at(place), top);
  return top;
}

void Variables::learn(const RunLessons& lessons) {
  for (const auto& [place, use] : lessons.contended) {
    PlaceUse& known = places_[place];
    known.reads |= use.reads;
    known.writes |= use.writes;
    above_.try_emplace(place, place);
  }
  for (const auto& [one, other] : lessons.together) {
    const uint64_t a = find(one), b = find(other);
    above_.at(std::max(a, b)) = std::min(a, b);
  }
}

std::vector<std::vector<uint64_t>> Variables::all() const {
  std::map<uint64_t, std::vector<uint64_t>> byTop;
  for (const auto& [place, use] : places_) byTop[find(place)].push_back(place);
  std::vector<std::vector<uint64_t>> result;
  for (auto& [top, places] : byTop) result.push_back(std::move(places));
  return result;
}

} // namespace symbiosis
