#pragma once
// A picture with fewer rows, for a screen or a sheet of paper that holds no more.
#include "viz/picture.h"

namespace symbiosis {

// At most about `mostRows` rows: what explains the failure least is folded first, and what is far from it. The
// failing row and the ends of the atomic region stay. A picture that fits is returned as it is.
Picture folded(const Picture& picture, size_t mostRows);

} // namespace symbiosis
