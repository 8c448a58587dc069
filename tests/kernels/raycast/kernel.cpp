/* Ray caster: each thread follows the paths of a pixel through a tree of instances and their trees of triangles, with stacks
 * in place of recursion, textures, one light and mirror reflections.
 */

#include <math.h>
#include <vx_spawn2.h>

#include "scene.h"

namespace {

enum { STACK = 12 };
constexpr float FAR = 1e30f, NEAR = 1e-4f, MIRROR = 0.25f;

float3 operator+(float3 a, float3 b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
float3 operator-(float3 a, float3 b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
float3 operator*(float3 a, float3 b) { return {a.x * b.x, a.y * b.y, a.z * b.z}; }
float3 operator*(float3 a, float s) { return {a.x * s, a.y * s, a.z * s}; }
float dot(float3 a, float3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
float3 cross(float3 a, float3 b) { return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x}; }
float3 normalized(float3 a) { return a * (1.0f / sqrtf(dot(a, a))); }

struct ray_t {
  float3 origin, direction, inverse;
};

struct hit_t {
  float distance = FAR, u = 0, v = 0;
  uint32_t triangle = 0, instance = 0;
};

ray_t make_ray(float3 origin, float3 direction) {
  return {origin, direction, {1.0f / direction.x, 1.0f / direction.y, 1.0f / direction.z}};
}

bool meets_box(const ray_t &ray, const node_t &node, float nearest) {
  float3 low = (node.low - ray.origin) * ray.inverse, high = (node.high - ray.origin) * ray.inverse;
  float enter = fmaxf(fmaxf(fminf(low.x, high.x), fminf(low.y, high.y)), fminf(low.z, high.z));
  float leave = fminf(fminf(fmaxf(low.x, high.x), fmaxf(low.y, high.y)), fmaxf(low.z, high.z));
  return leave >= enter && enter < nearest && leave > 0;
}

/* Moeller and Trumbore's test. */
void meet_triangle(const ray_t &ray, const triangle_t &t, uint32_t triangle, uint32_t instance, hit_t &hit) {
  float3 edge1 = t.b - t.a, edge2 = t.c - t.a;
  float3 p = cross(ray.direction, edge2);
  float determinant = dot(edge1, p);
  if (fabsf(determinant) < 1e-9f)
    return;
  float inverse = 1.0f / determinant;
  float3 from = ray.origin - t.a;
  float u = inverse * dot(from, p);
  if (u < 0 || u > 1)
    return;
  float3 q = cross(from, edge1);
  float v = inverse * dot(ray.direction, q);
  if (v < 0 || u + v > 1)
    return;
  float distance = inverse * dot(edge2, q);
  if (distance > NEAR && distance < hit.distance)
    hit = {distance, u, v, triangle, instance};
}

/* Calls `leaf(first, count)` for every leaf of a tree whose box the ray meets. */
template <typename Leaf>
void walk(const node_t *nodes, uint32_t root, const ray_t &ray, const hit_t &hit, const Leaf &leaf) {
  uint32_t stack[STACK];
  uint32_t waiting = 1;
  stack[0] = root;
  while (waiting > 0) {
    const node_t &node = nodes[stack[--waiting]];
    if (!meets_box(ray, node, hit.distance))
      continue;
    if (node.count > 0) {
      leaf(node.first, node.count);
    } else {
      stack[waiting++] = node.first + 1;
      stack[waiting++] = node.first;
    }
  }
}

hit_t cast(const args_t *__UNIFORM__ args, const ray_t &ray) {
  hit_t hit;
  walk(args->tlas, args->tlas_root, ray, hit, [&](uint32_t first_instance, uint32_t instances) {
    for (uint32_t i = first_instance; i < first_instance + instances; ++i) {
      const instance_t &instance = args->instances[i];
      ray_t moved = {ray.origin - instance.offset, ray.direction, ray.inverse};
      walk(args->bvh, instance.root, moved, hit, [&](uint32_t first, uint32_t count) {
        for (uint32_t k = first; k < first + count; ++k)
          meet_triangle(moved, args->triangles[args->order[k]], args->order[k], i, hit);
      });
    }
  });
  return hit;
}

float3 texel(const args_t *__UNIFORM__ args, const hit_t &hit) {
  const surface_t &surface = args->surfaces[hit.triangle];
  float w = 1.0f - hit.u - hit.v;
  float s = w * surface.uv[0].x + hit.u * surface.uv[1].x + hit.v * surface.uv[2].x;
  float t = w * surface.uv[0].y + hit.u * surface.uv[1].y + hit.v * surface.uv[2].y;
  int x = (int)(s * TEXTURE_SIDE) & (TEXTURE_SIDE - 1), y = (int)(t * TEXTURE_SIDE) & (TEXTURE_SIDE - 1);
  return args->texture[y * TEXTURE_SIDE + x];
}

float3 trace(const args_t *__UNIFORM__ args, ray_t ray) {
  float3 color = {0, 0, 0};
  float share = 1;
  for (uint32_t depth = 0; depth < args->max_depth; ++depth) {
    hit_t hit = cast(args, ray);
    if (hit.distance >= FAR)
      return color + args->background * share;
    const triangle_t &t = args->triangles[hit.triangle];
    float3 normal = normalized(cross(t.b - t.a, t.c - t.a));
    if (dot(normal, ray.direction) > 0)
      normal = normal * -1.0f;
    float3 place = ray.origin + ray.direction * hit.distance;
    float lit = fmaxf(0.0f, dot(normal, normalized(args->light - place)));
    color = color + texel(args, hit) * (args->ambient + args->light_color * lit) * share;
    share *= MIRROR;
    float3 mirrored = ray.direction - normal * (2.0f * dot(normal, ray.direction));
    ray = make_ray(place + normal * 1e-3f, mirrored);
  }
  return color;
}

} // namespace

__kernel void raycast(const args_t *args) {
  uint32_t x = blockIdx.x * blockDim.x + threadIdx.x;
  uint32_t y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= args->width)
    return;
  float3 sum = {0, 0, 0};
  uint32_t side = args->samples;
  for (uint32_t sample = 0; sample < side * side; ++sample) {
    float px = ((float)x + ((float)(sample % side) + 0.5f) / (float)side) / (float)args->width - 0.5f;
    float py = 0.5f - ((float)y + ((float)(sample / side) + 0.5f) / (float)side) / (float)args->height;
    float3 direction = args->forward + args->right * (px * args->viewplane.x) + args->up * (py * args->viewplane.y);
    sum = sum + trace(args, make_ray(args->camera, normalized(direction)));
  }
  args->dst[y * args->width + x] = sum * (1.0f / (float)(side * side));
}
