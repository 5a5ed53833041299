#define LIMIT 31
// A harbour and its readings.
Texture2D harbour : register(t0);
SamplerState place;

cbuffer Readings : register(b0)
{
    float4x4 readings;
    float levels[8];
};

struct Reading
{
    float level : TEXCOORD0;
    float3 tint : COLOR;
};

/* The largest
   change. */
float swing(const float first, int count)
{
    float worst = 0.0f;
    [unroll] for (int i = 1; i < count; ++i)
    {
        float change = abs(levels[i] - levels[i - 1]);
        if (change > worst && !(change >= 1.5e3))
            worst = change; // never shrinks
        else if (change == first || count != 7)
            continue;
        else
            break;
    }
    return worst;
}

bool doubled(float problem)
{
    return problem * 2.0h > 1.0 ? true : false;
}

float4 main(Reading input) : SV_TARGET
{
    float4 tint = harbour.Sample(place, input.tint.xy);
    float worst = swing(1.0, 8);
    while (doubled(worst))
    {
        worst /= 2.0;
        worst -= 0x1F;
    }
    switch (int(worst))
    {
        case 0: tint = mul(readings, tint); break;
        default: discard;
    }
    tint.rgb += (float3)worst;
    return saturate(tint);
}
