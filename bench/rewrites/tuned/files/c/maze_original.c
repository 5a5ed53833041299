/* Shortest way through a maze with a queue. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_SIZE 60

typedef struct {
    int row;
    int col;
} Point;

char maze[MAX_SIZE][MAX_SIZE + 2];
int distance[MAX_SIZE][MAX_SIZE];
Point previous[MAX_SIZE][MAX_SIZE];
int rows = 0;

int load_maze(const char *path)
{
    FILE *file = fopen(path, "r");
    if (file == NULL)
        return 0;
    while (rows < MAX_SIZE && fgets(maze[rows], MAX_SIZE + 2, file) != NULL) {
        maze[rows][strcspn(maze[rows], "\r\n")] = '\0';
        rows++;
    }
    fclose(file);
    return rows > 0;
}

int find_char(char wanted, Point *result)
{
    int i, j;
    for (i = 0; i < rows; i++) {
        for (j = 0; maze[i][j] != '\0'; j++) {
            if (maze[i][j] == wanted) {
                result->row = i;
                result->col = j;
                return 1;
            }
        }
    }
    return 0;
}

int search(Point start, Point end)
{
    static Point queue[MAX_SIZE * MAX_SIZE];
    static const int dr[4] = {-1, 0, 1, 0};
    static const int dc[4] = {0, 1, 0, -1};
    int first = 0, last = 0, i, j;
    for (i = 0; i < MAX_SIZE; i++)
        for (j = 0; j < MAX_SIZE; j++)
            distance[i][j] = -1;
    queue[last++] = start;
    distance[start.row][start.col] = 0;
    while (first < last) {
        Point p = queue[first++];
        if (p.row == end.row && p.col == end.col)
            return distance[p.row][p.col];
        for (i = 0; i < 4; i++) {
            Point q;
            q.row = p.row + dr[i];
            q.col = p.col + dc[i];
            if (q.row < 0 || q.row >= rows || q.col < 0 || q.col >= (int)strlen(maze[q.row]))
                continue;
            if (maze[q.row][q.col] == '#' || distance[q.row][q.col] != -1)
                continue;
            distance[q.row][q.col] = distance[p.row][p.col] + 1;
            previous[q.row][q.col] = p;
            queue[last++] = q;
        }
    }
    return -1;
}

int main(int argc, char *argv[])
{
    Point start, end, p;
    int length, i;
    if (argc < 2 || !load_maze(argv[1])) {
        printf("No maze\n");
        return 1;
    }
    if (!find_char('S', &start) || !find_char('E', &end)) {
        printf("Start or end is missing\n");
        return 1;
    }
    length = search(start, end);
    if (length < 0) {
        printf("There is no way\n");
        return 0;
    }
    printf("The way has %d steps\n", length);
    p = previous[end.row][end.col];
    while (p.row != start.row || p.col != start.col) {
        maze[p.row][p.col] = '.';
        p = previous[p.row][p.col];
    }
    for (i = 0; i < rows; i++)
        printf("%s\n", maze[i]);
    return 0;
}
