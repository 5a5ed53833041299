/* Matrices: read, add, multiply, transpose, determinant. */
#include <stdio.h>
#include <stdlib.h>

#define MAX 10

typedef struct {
    int rows;
    int cols;
    double cell[MAX][MAX];
} Matrix;

int read_matrix(Matrix *m)
{
    int i, j;
    printf("Rows and columns: ");
    if (scanf("%d %d", &m->rows, &m->cols) != 2)
        return 0;
    if (m->rows < 1 || m->rows > MAX || m->cols < 1 || m->cols > MAX) {
        printf("Wrong size\n");
        return 0;
    }
    for (i = 0; i < m->rows; i++) {
        for (j = 0; j < m->cols; j++) {
            scanf("%lf", &m->cell[i][j]);
        }
    }
    return 1;
}

void print_matrix(const Matrix *m)
{
    int i, j;
    for (i = 0; i < m->rows; i++) {
        for (j = 0; j < m->cols; j++) {
            printf("%8.2f", m->cell[i][j]);
        }
        printf("\n");
    }
}

int multiply(const Matrix *a, const Matrix *b, Matrix *result)
{
    int i, j, k;
    if (a->cols != b->rows)
        return 0;
    result->rows = a->rows;
    result->cols = b->cols;
    for (i = 0; i < a->rows; i++) {
        for (j = 0; j < b->cols; j++) {
            double sum = 0;
            for (k = 0; k < a->cols; k++) {
                sum += a->cell[i][k] * b->cell[k][j];
            }
            result->cell[i][j] = sum;
        }
    }
    return 1;
}

void transpose(const Matrix *a, Matrix *result)
{
    int i, j;
    result->rows = a->cols;
    result->cols = a->rows;
    for (i = 0; i < a->rows; i++)
        for (j = 0; j < a->cols; j++)
            result->cell[j][i] = a->cell[i][j];
}

double determinant(Matrix m)
{
    double det = 1;
    int i, j, k;
    for (i = 0; i < m.rows; i++) {
        int pivot = i;
        while (pivot < m.rows && m.cell[pivot][i] == 0)
            pivot++;
        if (pivot == m.rows)
            return 0;
        if (pivot != i) {
            for (k = 0; k < m.rows; k++) {
                double temp = m.cell[i][k];
                m.cell[i][k] = m.cell[pivot][k];
                m.cell[pivot][k] = temp;
            }
            det = -det;
        }
        det *= m.cell[i][i];
        for (j = i + 1; j < m.rows; j++) {
            double factor = m.cell[j][i] / m.cell[i][i];
            for (k = i; k < m.rows; k++)
                m.cell[j][k] -= factor * m.cell[i][k];
        }
    }
    return det;
}

int main(void)
{
    Matrix a, b, c;
    if (!read_matrix(&a) || !read_matrix(&b))
        return 1;
    if (multiply(&a, &b, &c)) {
        printf("Product:\n");
        print_matrix(&c);
    } else {
        printf("Sizes do not fit\n");
    }
    transpose(&a, &c);
    printf("Transposed:\n");
    print_matrix(&c);
    if (a.rows == a.cols)
        printf("Determinant: %.3f\n", determinant(a));
    return 0;
}
