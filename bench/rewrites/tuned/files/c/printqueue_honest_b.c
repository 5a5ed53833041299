#include <stdio.h>
#include <string.h>

#define MAX 50

char names[MAX][32];
int pages[MAX];
int prio[MAX];
int used[MAX];

int find_free(void)
{
    for (int i = 0; i < MAX; i++)
        if (!used[i])
            return i;
    return -1;
}

int find_best(void)
{
    int best = -1;
    for (int i = 0; i < MAX; i++)
        if (used[i] && (best == -1 || prio[i] > prio[best]))
            best = i;
    return best;
}

int main(void)
{
    int choice = 0, i, sum = 0;
    do {
        printf("\n1 new document\n2 print\n3 delete\n4 list\n5 end\n? ");
        scanf("%d", &choice);
        if (choice == 1) {
            i = find_free();
            if (i < 0) {
                printf("The queue is full.\n");
                continue;
            }
            printf("name, pages, priority: ");
            scanf("%31s%d%d", names[i], &pages[i], &prio[i]);
            used[i] = 1;
        }
        if (choice == 2) {
            i = find_best();
            if (i >= 0) {
                printf("The printer prints %s.\n", names[i]);
                sum = sum + pages[i];
                used[i] = 0;
                /* who waits becomes more important */
                for (int k = 0; k < MAX; k++)
                    prio[k]++;
            }
        }
        if (choice == 3) {
            char name[32];
            int n = 0;
            scanf("%31s", name);
            for (i = 0; i < MAX; i++) {
                if (used[i] && strcmp(names[i], name) == 0) {
                    used[i] = 0;
                    n++;
                }
            }
            printf("%d deleted\n", n);
        }
        if (choice == 4) {
            for (i = 0; i < MAX; i++)
                if (used[i])
                    printf("%s has %d pages and priority %d\n", names[i], pages[i], prio[i]);
        }
    } while (choice != 5);
    printf("%d pages today\n", sum);
    return 0;
}
