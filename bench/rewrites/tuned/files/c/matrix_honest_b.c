#include <stdio.h>

#define N 3

void print(int a[N][N])
{
    for (int i = 0; i < N; i++)
        printf("| %4d %4d %4d |\n", a[i][0], a[i][1], a[i][2]);
}

void add(int a[N][N], int b[N][N], int sign)
{
    int c[N][N];
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            c[i][j] = a[i][j] + sign * b[i][j];
    print(c);
}

int dot(int a[N][N], int row, int b[N][N], int column)
{
    return a[row][0] * b[0][column] + a[row][1] * b[1][column] + a[row][2] * b[2][column];
}

void mult(int a[N][N], int b[N][N])
{
    int c[N][N];
    for (int z = 0; z < N * N; z++)
        c[z / N][z % N] = dot(a, z / N, b, z % N);
    print(c);
}

int sarrus(int a[N][N])
{
    int sum = 0;
    for (int s = 0; s < N; s++) {
        sum += a[0][s] * a[1][(s + 1) % N] * a[2][(s + 2) % N];
        sum -= a[2][s] * a[1][(s + 1) % N] * a[0][(s + 2) % N];
    }
    return sum;
}

int main()
{
    int a[N][N] = {{1, 2, 3}, {0, 1, 4}, {5, 6, 0}};
    int b[N][N];
    char what = ' ';
    printf("Enter nine numbers:\n");
    for (int z = 0; z < 9; z++)
        scanf("%d", &b[z / 3][z % 3]);
    while (what != 'q') {
        printf("+ - * t d q: ");
        scanf(" %c", &what);
        if (what == '+') {
            add(a, b, 1);
        } else if (what == '-') {
            add(a, b, -1);
        } else if (what == '*') {
            mult(a, b);
        } else if (what == 't') {
            int t[N][N];
            for (int i = 0; i < N; i++) {
                for (int j = i; j < N; j++) {
                    t[i][j] = b[j][i];
                    t[j][i] = b[i][j];
                }
            }
            print(t);
        } else if (what == 'd') {
            printf("%d and %d\n", sarrus(a), sarrus(b));
        }
    }
    return 0;
}
