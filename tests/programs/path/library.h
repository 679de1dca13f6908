#pragma once
int apply(int from, int to, int (*each)(int));
