#include <stdio.h>
#include <string.h>

#define SIZE 2100

void reverse(char *s)
{
    int i = 0, j = (int)strlen(s) - 1;
    while (i < j) {
        char c = s[i];
        s[i++] = s[j];
        s[j--] = c;
    }
}

/* r = r + s, all strings are backwards */
void plus(char *r, const char *s)
{
    int over = 0, i = 0;
    while (*s || over) {
        int d = over;
        if (*s)
            d += *s++ - '0';
        if (r[i])
            d += r[i] - '0';
        else
            r[i + 1] = 0;
        over = d > 9;
        r[i] = '0' + (over ? d - 10 : d);
        i++;
    }
}

void mul(const char *a, const char *b, char *r)
{
    char shifted[SIZE];
    memset(r, 0, SIZE);
    r[0] = '0';
    for (int k = 0; a[k]; k++) {
        memset(shifted, 0, SIZE);
        memset(shifted, '0', k);
        strcat(shifted, b);
        for (char d = '0'; d < a[k]; d++)
            plus(r, shifted);
    }
}

int main()
{
    char a[SIZE] = "", b[SIZE] = "", r[SIZE] = "";
    printf("a = ");
    scanf("%999[0-9]", a);
    printf("b = ");
    scanf(" %999[0-9]", b);
    if (a[0] == 0 || b[0] == 0) {
        printf("error\n");
        return 1;
    }
    int bigger = strlen(a) == strlen(b) ? strcmp(a, b) : (int)strlen(a) - (int)strlen(b);
    reverse(a);
    reverse(b);
    mul(a, b, r);
    reverse(r);
    printf("a * b = %s\n", r);
    memset(r, 0, SIZE);
    strcpy(r, a);
    plus(r, b);
    reverse(r);
    printf("a + b = %s\n", r);
    printf("a %c b\n", bigger > 0 ? '>' : bigger < 0 ? '<' : '=');
    return 0;
}
