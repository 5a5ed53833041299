#version 330 core
#define LIMIT 31
// A harbour and its readings.
uniform sampler2D harbour;
uniform float levels[8];
in vec2 place;
out vec4 colour;

struct Reading {
    float level;
    vec3 tint;
};

/* The largest
   change. */
float swing(const float first, int count) {
    float worst = 0.0;
    for (int i = 1; i < count; ++i) {
        float change = abs(levels[i] - levels[i - 1]);
        if (change > worst && !(change >= 1.5e3)) {
            worst = change; // never shrinks
        } else if (change == first || count != 7) {
            continue;
        } else {
            break;
        }
    }
    return worst;
}

bool doubled(float problem) {
    return problem * 2.0 > 1.0 ? true : false;
}

void main() {
    vec4 tint = texture(harbour, place.xy);
    float worst = swing(1.0, 8);
    while (doubled(worst)) {
        worst /= 2.0;
        worst -= 0x1F;
    }
    switch (int(worst)) {
        case 0: colour = tint; break;
        default: discard;
    }
    colour.rgb += vec3(worst) * mat3(1.0)[0];
}
