#include <hip/hip_runtime.h>

void gather(const float *image, const int *index, float *sum, int rows, int columns, float scale);
void tabulate(double *table, long count);
