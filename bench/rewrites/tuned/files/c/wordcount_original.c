/* Count lines, words, letters and the most frequent words of a file. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_WORDS 5000
#define MAX_LENGTH 40

struct entry {
    char word[MAX_LENGTH];
    int count;
};

struct entry words[MAX_WORDS];
int number_of_words = 0;

void add_word(const char *word)
{
    int i;
    for (i = 0; i < number_of_words; i++) {
        if (strcmp(words[i].word, word) == 0) {
            words[i].count++;
            return;
        }
    }
    if (number_of_words < MAX_WORDS) {
        strcpy(words[number_of_words].word, word);
        words[number_of_words].count = 1;
        number_of_words++;
    }
}

int compare(const void *a, const void *b)
{
    const struct entry *x = a;
    const struct entry *y = b;
    if (x->count != y->count)
        return y->count - x->count;
    return strcmp(x->word, y->word);
}

int main(int argc, char *argv[])
{
    FILE *file;
    int c;
    int lines = 0, total = 0, characters = 0, length = 0, longest = 0;
    char word[MAX_LENGTH];
    int i;

    if (argc != 2) {
        printf("Usage: %s file\n", argv[0]);
        return 1;
    }
    file = fopen(argv[1], "r");
    if (file == NULL) {
        printf("Cannot open %s\n", argv[1]);
        return 1;
    }
    while ((c = fgetc(file)) != EOF) {
        characters++;
        if (c == '\n')
            lines++;
        if (isalpha(c)) {
            if (length < MAX_LENGTH - 1) {
                word[length] = tolower(c);
                length++;
            }
        } else if (length > 0) {
            word[length] = '\0';
            add_word(word);
            total++;
            if (length > longest)
                longest = length;
            length = 0;
        }
    }
    fclose(file);
    qsort(words, number_of_words, sizeof(struct entry), compare);
    printf("Lines: %d\nWords: %d\nCharacters: %d\n", lines, total, characters);
    printf("Different words: %d\nLongest word: %d letters\n", number_of_words, longest);
    for (i = 0; i < 10 && i < number_of_words; i++) {
        printf("%2d. %-20s %d (%.1f%%)\n", i + 1, words[i].word, words[i].count,
               100.0 * words[i].count / total);
    }
    return 0;
}
