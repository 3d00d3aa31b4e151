// Meshes lit at their corners. The sum of the lights takes the place of the word on the right of `let light`.

@group(0) @binding(0) var<uniform> projection: mat4x4f;

struct Seen {
    @builtin(position) place: vec4f,
    @location(0) colour: vec4f,
}

@vertex
fn corner(
    @location(0) place: vec3f,
    @location(1) normal: vec3f,
    @location(2) origin: vec3f,
    @location(3) colour: vec4f,
    @location(4) x: vec3f,
    @location(5) y: vec3f,
    @location(6) z: vec3f,
) -> Seen {
    let axes = mat3x3f(x, y, z);
    let upright = normalize(axes * normal);
    let light = LIGHT;
    return Seen(projection * vec4f(origin + axes * place, 1.0), vec4f(light * colour.rgb, 1.0));
}

@fragment
fn pixel(seen: Seen) -> @location(0) vec4f {
    return seen.colour;
}
