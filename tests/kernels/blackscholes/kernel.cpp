/* Prices of European options by the formula of Black and Scholes; the normal distribution by a polynomial (Abramowitz and
 * Stegun 26.2.17).
 */

#include <math.h>
#include <vx_spawn2.h>

#include "../device_ptr.h"

struct args_t {
  uint32_t num_options;
  float rate;
  float volatility;
  device_ptr<const float> price;
  device_ptr<const float> strike;
  device_ptr<const float> years;
  device_ptr<float> call;
  device_ptr<float> put;
};

static float normal(float x) {
  float t = 1.0f / (1.0f + 0.2316419f * fabsf(x));
  float sum = t * (0.319381530f + t * (-0.356563782f + t * (1.781477937f + t * (-1.821255978f + t * 1.330274429f))));
  float tail = 0.39894228f * expf(-0.5f * x * x) * sum;
  return x < 0 ? tail : 1.0f - tail;
}

__kernel void blackscholes(const args_t *args) {
  uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= args->num_options)
    return;
  float price = args->price[i], strike = args->strike[i], years = args->years[i];
  float spread = args->volatility * sqrtf(years);
  float d1 = (logf(price / strike) + (args->rate + 0.5f * args->volatility * args->volatility) * years) / spread;
  float d2 = d1 - spread;
  float present = strike * expf(-args->rate * years);
  args->call[i] = price * normal(d1) - present * normal(d2);
  args->put[i] = present * normal(-d2) - price * normal(-d1);
}
