"""Host program of raycast: the image again by testing every ray against every triangle, in double precision."""

import numpy as np
from numpy.typing import NDArray

from tests.kernels.raycast.scene import TEXTURE_SIDE, Scene, make_scene, make_trees
from tests.regression.expectation import Array
from tests.regression.host import Argument, Exercise, Minimum, Need, Session, Sizes, f32, kernel_test, u32

Doubles = NDArray[np.float64]

MIRROR, DEPTH, SAMPLES = 0.25, 2, 1
NEAR = 1e-4
CAMERA, RIGHT, UP, FORWARD = (0.13, 1.9, -4.2), (1.0, 0.0, 0.0), (0.0, 0.94, 0.34), (0.0, -0.34, 0.94)
VIEWPLANE = (1.5, 1.1)
LIGHT, LIGHT_COLOR, AMBIENT, BACKGROUND = (-2.0, 4.0, -3.0), (0.8, 0.8, 0.7), (0.2, 0.2, 0.25), (0.1, 0.3, 0.6)
CLOSE, UNCERTAIN = 1e-3, 0.03  # of a channel; share of pixels whose ray may just miss or just meet an edge


def unit(vectors: Doubles) -> Doubles:
    return np.asarray(vectors / np.linalg.norm(vectors, axis=-1, keepdims=True))


def render(scene: Scene, texture: Array, width: int, height: int) -> Doubles:
    """The image, (height * width, 3)."""
    corners = np.concatenate([scene.triangles[members] + offset for offset, members in scene.instances]).astype(float)
    uv = np.concatenate([scene.uv[members] for _, members in scene.instances]).astype(float)
    edge1, edge2 = corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]
    normals = unit(np.cross(edge1, edge2))
    y, x = (axis.reshape(-1) for axis in np.indices((height, width)))
    px, py = (x + 0.5) / width - 0.5, 0.5 - (y + 0.5) / height
    direction = FORWARD + np.outer(px * VIEWPLANE[0], RIGHT) + np.outer(py * VIEWPLANE[1], UP)
    direction, origin = unit(direction), np.tile(np.array(CAMERA), (x.size, 1))
    color, share, alive = np.zeros((x.size, 3)), np.ones(x.size), np.ones(x.size, np.bool_)
    for _ in range(DEPTH):
        p = np.cross(direction[:, None], edge2)
        with np.errstate(divide="ignore", invalid="ignore"):
            inverse = 1 / (edge1 * p).sum(-1)
            start = origin[:, None] - corners[:, 0]
            u = inverse * (start * p).sum(-1)
            q = np.cross(start, edge1)
            v = inverse * (direction[:, None] * q).sum(-1)
            distance = inverse * (edge2 * q).sum(-1)
            met = (u >= 0) & (v >= 0) & (u + v <= 1) & (distance > NEAR)
        distance = np.where(met, distance, np.inf)
        nearest = distance.argmin(axis=1)
        rays = np.arange(x.size)
        hit = np.isfinite(distance[rays, nearest])
        color += np.where(alive & ~hit, share, 0)[:, None] * np.array(BACKGROUND)
        alive &= hit
        t = np.where(hit, distance[rays, nearest], 0)
        place = origin + direction * t[:, None]
        normal = normals[nearest]
        normal = np.where(((normal * direction).sum(-1) > 0)[:, None], -normal, normal)
        lit = np.maximum(0, (normal * unit(np.array(LIGHT) - place)).sum(-1))
        us, vs = (np.nan_to_num(value[rays, nearest]) for value in (u, v))
        weights = np.stack([1 - us - vs, us, vs], 1)
        place_on_texture = (weights[..., None] * uv[nearest]).sum(1)
        texel = np.nan_to_num(place_on_texture * TEXTURE_SIDE).astype(int) & (TEXTURE_SIDE - 1)
        albedo = texture.reshape(TEXTURE_SIDE, TEXTURE_SIDE, 3)[texel[:, 1], texel[:, 0]]
        light = np.array(AMBIENT) + lit[:, None] * np.array(LIGHT_COLOR)
        color += np.where(alive, share, 0)[:, None] * albedo * light
        share = share * MIRROR
        direction = direction - normal * (2 * (normal * direction).sum(-1))[:, None]
        origin = place + normal * 1e-3
    return color


@kernel_test(
    sizes=Sizes(6, 16, 64),
    needs=(Need.FLOAT,),
    minimum=Minimum(Exercise(splits=80, pred_exits=30)),
)
def raycast(t: Session) -> None:
    """Textured boxes with mirror reflections, N x 3/4 N pixels, trees walked with stacks."""
    width, height = t.size, max(1, t.size * 3 // 4)
    lanes = t.device.config.hardware.num_threads
    scene = make_scene()
    meshes, instances, top = make_trees(scene)
    texture = t.floats(3 * TEXTURE_SIDE**2, 0.2, 1)
    expected = render(scene, texture, width, height)

    def judge(found: Array) -> str:
        pixels = np.asarray(found, np.float64).reshape(-1, 3)
        far = ~(np.abs(pixels - expected).max(axis=1) <= CLOSE)
        if np.count_nonzero(far) <= UNCERTAIN * far.size:
            return ""
        first = int(far.argmax())
        return (
            f"{np.count_nonzero(far)} of {far.size} pixels are off, the first at {divmod(first, width)}: "
            f"expected {expected[first].tolist()}, found {pixels[first].tolist()}"
        )

    dst = t.output(np.float32, width * height * 3, "image")
    args: list[Argument] = [
        u32(width),
        u32(height),
        dst,
        t.input(scene.triangles, "triangles"),
        t.input(scene.uv, "surfaces"),
        t.input(np.array(meshes.order, np.uint32), "order"),
        t.input(texture, "texture"),
        t.input(meshes.packed().view(np.uint32), "bvh"),
        t.input(instances.view(np.uint32), "instances"),
        t.input(top.packed().view(np.uint32), "tlas"),
        u32(0),
        *(f32(value) for vector in (CAMERA, RIGHT, UP, FORWARD, VIEWPLANE) for value in vector),
        u32(SAMPLES),
        u32(DEPTH),
        *(f32(value) for vector in (LIGHT, LIGHT_COLOR, AMBIENT, BACKGROUND) for value in vector),
    ]
    grid = (-(-width // lanes), height)
    t.launch("raycast", args, grid=grid, block=(lanes, 1), expect={}, judge={dst: judge})
