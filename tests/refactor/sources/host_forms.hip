// One element-wise kernel after the other, each launched in another way that programs have.
#include <hip/hip_runtime.h>
#include <cmath>
#include <cstdlib>

#define NUMBER_THREADS 256
namespace sizes {
constexpr int WIDE = 64;
constexpr int HIGH = 4;
}
#define ROWS_AT_ONCE (sizes::HIGH)

// block and grid are dim3 whose fields are set one by one
__global__ void fields_set(const float *in, float *out, int n)
{
	int bx = blockIdx.x;
	int tx = threadIdx.x;
	int ei = (bx*NUMBER_THREADS)+tx;
	if(ei<n){
		out[ei] = in[ei] > 0 ? in[ei] : INFINITY;
	}
}

// block and grid come from arrays of numbers
__global__ void array_elements(const float *in, float *out, int n)
{
	int i = threadIdx.x + blockIdx.x * blockDim.x;
	if (i < n) out[i] = in[i] * 2.0f;
}

// the grid is made by a function that keeps what it needs in a variable
__global__ void grid_function(const float *in, float *out, int n)
{
	int i = threadIdx.x + blockIdx.x * blockDim.x;
	if (i >= n) return;
	out[i] = in[i] + 1.0f;
}
static dim3 grid_for(size_t n)
{
	size_t k = (n - 1) / 512 + 1;
	return dim3(k);
}

// the block is a field of the object that launches
__global__ void object_field(const float *in, float *out, int n)
{
	int i = threadIdx.x + blockIdx.x * blockDim.x;
	if (i < n) out[i] = in[i] - 3.0f;
}

// a variable of the kernel has the kernel's name, and the host asks the library about the kernel
__global__ void total(const float *in, float *out, int n)
{
	int i = threadIdx.x + blockIdx.x * blockDim.x;
	float total = 0.0f;
	for (int k = 0; k < 4; k++)
		total += in[i + k];
	if (i < n) out[i] = total;
}

// launch bounds that are a product of constants
__global__ void __launch_bounds__(sizes::WIDE * ROWS_AT_ONCE) bounded(const float *in, float *out, int width, int height)
{
	int x = threadIdx.x + blockIdx.x * blockDim.x;
	int y = threadIdx.y + blockIdx.y * blockDim.y;
	if (x < width && y < height) out[y * width + x] = in[y * width + x] * in[y * width + x];
}

class Runner {
	unsigned threads_;
	float *in_, *out_;
public:
	Runner(float *in, float *out) : threads_(128), in_(in), out_(out) {}
	void run(int n)
	{
		hipLaunchKernelGGL(object_field, dim3((n + threads_ - 1) / threads_), dim3(threads_), 0, 0, in_, out_, n);
	}
};

int main(int argc, char **argv)
{
	int n = atoi(argv[1]), width = atoi(argv[2]), height = n / width;
	unsigned group = atoi(argv[3]);
	float *in, *out;
	hipMalloc(&in, (n + 4) * sizeof(float));
	hipMalloc(&out, n * sizeof(float));

	dim3 blocks, threads;
	threads.x = NUMBER_THREADS;
	threads.y = 1;
	int blocks_x = n / (int)NUMBER_THREADS;
	if (n % (int)NUMBER_THREADS != 0) blocks_x = blocks_x + 1;
	blocks.x = (n + NUMBER_THREADS - 1) / NUMBER_THREADS;
	blocks.y = 1;
	fields_set<<<blocks, threads>>>(in, out, n);

	unsigned local[2] = {group, 1};
	unsigned items[2] = {(n + group - 1) / group * group, 1};
	dim3 grid(items[0] / local[0], items[1] / local[1]);
	dim3 block(local[0], local[1]);
	hipLaunchKernelGGL(array_elements, dim3(grid), dim3(block), 0, 0, in, out, n);

	grid_function<<<grid_for(n), 512>>>(in, out, n);
	Runner(in, out).run(n);
	hipFuncSetCacheConfig(reinterpret_cast<const void *>(total), hipFuncCachePreferL1);
	total<<<(n + 63) / 64, 64>>>(in, out, n);
	bounded<<<dim3((width + 63) / 64, (height + 3) / 4), dim3(sizes::WIDE, sizes::HIGH)>>>(in, out, width, height);
	return hipDeviceSynchronize();
}
