#include <stdio.h>
#include <string.h>

int ids[100];
char names[100][25];
float grades[100];
int order[100];
int n;

void swap(int *a, int *b)
{
    int c = *a;
    *a = *b;
    *b = c;
}

float value(int i, char what)
{
    return what == 'i' ? (float)ids[i] : -grades[i];
}

void selection_sort(char what)
{
    for (int i = 0; i < n; i++) {
        int min = i;
        for (int j = i + 1; j < n; j++) {
            if (what == 'n') {
                if (strcmp(names[order[j]], names[order[min]]) < 0)
                    min = j;
            } else if (value(order[j], what) < value(order[min], what)) {
                min = j;
            }
        }
        swap(&order[i], &order[min]);
    }
}

void output(void)
{
    for (int i = 0; i < n; i++)
        printf("%d\t%s\t%.1f\n", ids[order[i]], names[order[i]], grades[order[i]]);
}

int main()
{
    char key;
    printf("How many students? ");
    scanf("%d", &n);
    for (int i = 0; i < n; i++) {
        float a, b, c;
        printf("id name mark mark mark: ");
        scanf("%d %24s %f %f %f", &ids[i], names[i], &a, &b, &c);
        grades[i] = (a + b + c) / 3.0f;
        order[i] = i;
    }
    printf("Sort by (i)d, (n)ame or (g)rade? ");
    scanf(" %c", &key);
    selection_sort(key);
    output();
    int wanted;
    printf("Search id: ");
    while (scanf("%d", &wanted) == 1 && wanted > 0) {
        int there = 0;
        for (int i = 0; i < n && !there; i++) {
            if (ids[i] == wanted) {
                printf("This is %s, grade %.1f, %s\n", names[i], grades[i], grades[i] < 50 ? "failed" : "passed");
                there = 1;
            }
        }
        if (!there)
            printf("There is no such student.\n");
    }
    return 0;
}
