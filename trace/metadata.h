#pragma once
// The names of the metadata that the pass puts on the snapshot's instructions and functions before it is written,
// and by which the decoder and the executor know what was recorded.

namespace symbiosis {

inline constexpr char kPointMetadata[] = "symbiosis.point"; // may touch shared memory
inline constexpr char kStackMetadata[] = "symbiosis.stack"; // a slot whose address may leave its function
inline constexpr char kSiteMetadata[] = "symbiosis.site";   // a call that leaves instrumented code, and its number
// On calls of functions outside that are given memory of the program: points, too (profiler/pass/outside_calls.h).
inline constexpr char kGivenMetadata[] = "symbiosis.given";
// On calls whose text has been read before them by the program itself: no point (profiler/pass/text_looks.h).
inline constexpr char kLookedMetadata[] = "symbiosis.looked";
// On the jump that closes a loop in which nothing is decided: it logs a bit, so that the path knows the rounds.
inline constexpr char kRoundMetadata[] = "symbiosis.round";
// On copies whose source may be shared: what they copy is logged.
inline constexpr char kLoggedMetadata[] = "symbiosis.logged";
// On points whose value can become an address: logged at level `addresses`.
inline constexpr char kAddressMetadata[] = "symbiosis.address";
// On copies of text (profiler/pass/text_copies.cpp), and on the pointers and lengths that are logged before them:
// at every level.
inline constexpr char kTextMetadata[] = "symbiosis.text";
// On functions that keep only their original body (computed goto, naked): they count as uninstrumented.
inline constexpr char kExcludedMetadata[] = "symbiosis.excluded";

} // namespace symbiosis
