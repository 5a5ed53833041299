#include <stdio.h>
#include <stdlib.h>

#define N 4
#define EPSILON 1e-9

/* Solves linear equations and inverts small matrices. */

void print_matrix(double m[N][N]) {
    int i, j;
    for (i = 0; i < N; i++) {
        for (j = 0; j < N; j++) {
            printf("%8.3f ", m[i][j]);
        }
        printf("\n");
    }
}

void multiply(double a[N][N], double b[N][N], double result[N][N]) {
    int i, j, k;
    for (i = 0; i < N; i++) {
        for (j = 0; j < N; j++) {
            double sum = 0;
            for (k = 0; k < N; k++) {
                sum += a[i][k] * b[k][j];
            }
            result[i][j] = sum;
        }
    }
}

int find_pivot(double m[N][N], int column) {
    int best = column, row;
    for (row = column + 1; row < N; row++) {
        if (abs(m[row][column]) > abs(m[best][column])) {
            best = row;
        }
    }
    return best;
}

void swap_rows(double m[N][N], int a, int b) {
    int j;
    for (j = 0; j < N; j++) {
        double t = m[a][j];
        m[a][j] = m[b][j];
        m[b][j] = t;
    }
}

double determinant(double m[N][N]) {
    double det = 1;
    int column, row, j;
    for (column = 0; column < N; column++) {
        int pivot = find_pivot(m, column);
        if (m[pivot][column] < EPSILON && m[pivot][column] > -EPSILON) {
            return 0;
        }
        if (pivot != column) {
            swap_rows(m, pivot, column);
            det = -det;
        }
        det *= m[column][column];
        for (row = column + 1; row < N; row++) {
            double factor = m[row][column] / m[column][column];
            for (j = column; j < N; j++) {
                m[row][j] -= factor * m[column][j];
            }
        }
    }
    return det;
}

double trace(double m[N][N]) {
    double sum = 0;
    int i;
    for (i = 0; i < N; i++) {
        sum += m[i][i];
    }
    return sum;
}

int main(void) {
    double a[N][N] = {{2, 0, 1, 3}, {1, 4, -2, 0}, {0, 5, 7, 1}, {6, 1, 1, 2}};
    double b[N][N] = {{1, 2, 0, 0}, {0, 1, 3, 0}, {0, 0, 1, 4}, {5, 0, 0, 1}};
    double c[N][N];
    multiply(a, b, c);
    printf("Product\n");
    print_matrix(c);
    printf("Trace %.3f\n", trace(c));
    printf("Determinant %.3f\n", determinant(c));
    return 0;
}
