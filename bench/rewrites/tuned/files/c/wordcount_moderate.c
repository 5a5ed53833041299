/* Text analysis: how long is a document, and which terms occur most often? */
#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CAPACITY = 5000, WIDTH = 40 };

typedef struct {
    int times;
    char text[WIDTH];
} Term;

typedef struct {
    Term terms[CAPACITY];
    int used;
    int rows;
    int read;
    int signs;
    int widest;
} Analysis;

static int by_times(const void *left, const void *right)
{
    const Term *first = (const Term *)left, *second = (const Term *)right;
    int difference = second->times - first->times;
    return difference == 0 ? strcmp(first->text, second->text) : difference;
}

static Term *lookup(Analysis *a, const char *text)
{
    Term *term = a->terms;
    while (term < a->terms + a->used) {
        if (!strcmp(term->text, text))
            return term;
        ++term;
    }
    return NULL;
}

static void finish(Analysis *a, char *buffer, int *size)
{
    if (*size == 0)
        return;
    buffer[*size] = 0;
    a->read += 1;
    a->widest = *size > a->widest ? *size : a->widest;
    *size = 0;
    Term *term = lookup(a, buffer);
    if (term) {
        term->times += 1;
    } else if (a->used != CAPACITY) {
        term = &a->terms[a->used++];
        term->times = 1;
        strcpy(term->text, buffer);
    }
}

static void scan(FILE *stream, Analysis *a)
{
    char buffer[WIDTH];
    int size = 0;
    for (int sign = getc(stream); sign != EOF; sign = getc(stream)) {
        a->signs += 1;
        a->rows += sign == '\n';
        if (!isalpha(sign)) {
            finish(a, buffer, &size);
            continue;
        }
        if (size + 1 < WIDTH)
            buffer[size++] = (char)tolower(sign);
    }
}

static Analysis analysis;

int main(int argc, char **argv)
{
    if (argc == 2) {
        FILE *stream = fopen(argv[1], "r");
        if (!stream) {
            fprintf(stderr, "%s is not readable\n", argv[1]);
            return EXIT_FAILURE;
        }
        scan(stream, &analysis);
        fclose(stream);
    } else {
        fprintf(stderr, "call it with one document\n");
        return EXIT_FAILURE;
    }
    printf("%d rows with %d terms and %d signs\n", analysis.rows, analysis.read, analysis.signs);
    printf("%d distinct terms, the widest has %d letters\n", analysis.used, analysis.widest);
    qsort(analysis.terms, analysis.used, sizeof *analysis.terms, by_times);
    int place = 0;
    while (place < analysis.used && place < 10) {
        const Term *term = &analysis.terms[place++];
        double percent = term->times * 100.0 / analysis.read;
        printf("%2d: %s, %d times, %.2f percent\n", place, term->text, term->times, percent);
    }
    return EXIT_SUCCESS;
}
