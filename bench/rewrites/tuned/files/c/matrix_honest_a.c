#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* a matrix is one block of floats, row after row */
typedef struct matrix {
    int n, m;
    float *data;
} matrix;

#define AT(x, i, j) ((x).data[(i) * (x).m + (j)])

matrix create(int n, int m)
{
    matrix x = {n, m, calloc(n * m, sizeof(float))};
    assert(x.data);
    return x;
}

matrix load(const char *path)
{
    int n, m;
    FILE *f = fopen(path, "r");
    if (!f) {
        perror(path);
        exit(EXIT_FAILURE);
    }
    fscanf(f, "%d %d", &n, &m);
    matrix x = create(n, m);
    for (float *p = x.data; p < x.data + n * m; p++)
        fscanf(f, "%f", p);
    fclose(f);
    return x;
}

matrix times(matrix x, matrix y)
{
    assert(x.m == y.n);
    matrix z = create(x.n, y.m);
    for (int k = 0; k < x.m; k++)
        for (int i = 0; i < x.n; i++)
            for (int j = 0; j < y.m; j++)
                AT(z, i, j) += AT(x, i, k) * AT(y, k, j);
    return z;
}

matrix minor_of(matrix x, int col)
{
    matrix z = create(x.n - 1, x.n - 1);
    for (int i = 1; i < x.n; i++) {
        memcpy(&AT(z, i - 1, 0), &AT(x, i, 0), col * sizeof(float));
        memcpy(&AT(z, i - 1, col), &AT(x, i, col + 1), (x.n - col - 1) * sizeof(float));
    }
    return z;
}

float det(matrix x)
{
    if (x.n == 1)
        return x.data[0];
    float d = 0;
    for (int col = 0; col < x.n; col++) {
        matrix s = minor_of(x, col);
        d += (col % 2 ? -1 : 1) * x.data[col] * det(s);
        free(s.data);
    }
    return d;
}

int main(int argc, char **argv)
{
    if (argc < 3) {
        fprintf(stderr, "usage: %s A B\n", argv[0]);
        return 2;
    }
    matrix a = load(argv[1]), b = load(argv[2]), c = times(a, b);
    for (int i = 0; i < c.n * c.m; i++)
        printf("%g%c", c.data[i], (i + 1) % c.m ? ' ' : '\n');
    for (int j = 0; j < a.m; j++) {
        for (int i = 0; i < a.n; i++)
            printf("%g ", AT(a, i, j));
        printf("\n");
    }
    if (a.n == a.m)
        printf("det %g\n", det(a));
    return 0;
}
