public class Matrix {
    static final int N = 4;
    static final double EPSILON = 1e-9;

    static void printMatrix(double[][] m) {
        for (int i = 0; i < N; i++) {
            for (int j = 0; j < N; j++) {
                System.out.printf("%8.3f ", m[i][j]);
            }
            System.out.println();
        }
    }

    static double[][] multiply(double[][] a, double[][] b) {
        double[][] result = new double[N][N];
        for (int i = 0; i < N; i++) {
            for (int j = 0; j < N; j++) {
                double sum = 0;
                for (int k = 0; k < N; k++) {
                    sum += a[i][k] * b[k][j];
                }
                result[i][j] = sum;
            }
        }
        return result;
    }

    static int findPivot(double[][] m, int column) {
        int best = column;
        for (int row = column + 1; row < N; row++) {
            if (Math.abs(m[row][column]) > Math.abs(m[best][column])) {
                best = row;
            }
        }
        return best;
    }

    static void swapRows(double[][] m, int a, int b) {
        double[] t = m[a];
        m[a] = m[b];
        m[b] = t;
    }

    static double determinant(double[][] m) {
        double det = 1;
        for (int column = 0; column < N; column++) {
            int pivot = findPivot(m, column);
            if (m[pivot][column] < EPSILON && m[pivot][column] > -EPSILON) {
                return 0;
            }
            if (pivot != column) {
                swapRows(m, pivot, column);
                det = -det;
            }
            det *= m[column][column];
            for (int row = column + 1; row < N; row++) {
                double factor = m[row][column] / m[column][column];
                for (int j = column; j < N; j++) {
                    m[row][j] -= factor * m[column][j];
                }
            }
        }
        return det;
    }

    static double trace(double[][] m) {
        double sum = 0;
        for (int i = 0; i < N; i++) {
            sum += m[i][i];
        }
        return sum;
    }

    public static void main(String[] args) {
        double[][] a = {{2, 0, 1, 3}, {1, 4, -2, 0}, {0, 5, 7, 1}, {6, 1, 1, 2}};
        double[][] b = {{1, 2, 0, 0}, {0, 1, 3, 0}, {0, 0, 1, 4}, {5, 0, 0, 1}};
        double[][] c = multiply(a, b);
        System.out.println("Product");
        printMatrix(c);
        System.out.printf("Trace %.3f%n", trace(c));
        System.out.printf("Determinant %.3f%n", determinant(c));
    }
}
