#include <stdio.h>
#include <string.h>
#include <ctype.h>

char list[1000][30];
int often[1000];
int n = 0;

int position(char *w)
{
    int k = 0;
    while (k < n && strcmp(list[k], w) != 0)
        k++;
    return k;
}

void sort()
{
    int changed = 1;
    while (changed) {
        changed = 0;
        for (int k = 1; k < n; k++) {
            if (often[k - 1] < often[k]) {
                char w[30];
                int o = often[k];
                strcpy(w, list[k]);
                strcpy(list[k], list[k - 1]);
                strcpy(list[k - 1], w);
                often[k] = often[k - 1];
                often[k - 1] = o;
                changed = 1;
            }
        }
    }
}

int main()
{
    char name[100], w[30];
    int all = 0, letters = 0, newlines = 0, z;
    printf("Name of the file: ");
    scanf("%99s", name);
    FILE *f = fopen(name, "r");
    if (!f)
        return 1;
    while ((z = getc(f)) != EOF)
        if (z == '\n')
            newlines++;
    rewind(f);
    while (fscanf(f, "%29s", w) == 1) {
        while (w[0] && ispunct(w[strlen(w) - 1]))
            w[strlen(w) - 1] = 0;
        if (!w[0])
            continue;
        for (char *p = w; *p; p++)
            *p = tolower(*p);
        all++;
        letters += strlen(w);
        int k = position(w);
        if (k == n && n < 1000) {
            strcpy(list[n], w);
            n++;
        }
        if (k < n)
            often[k]++;
    }
    fclose(f);
    sort();
    printf("The file has %d lines and %d words.\n", newlines, all);
    if (all > 0)
        printf("Mean length of a word: %.1f\n", (float)letters / all);
    for (int k = 0; k < n && often[k] > 1; k++)
        printf("%s: %d\n", list[k], often[k]);
    return 0;
}
