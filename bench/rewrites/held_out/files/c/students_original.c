/* Students: read a file, sort by different keys, search, statistics. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_STUDENTS 200

struct student {
    int number;
    char name[32];
    double marks[3];
    double average;
};

struct student students[MAX_STUDENTS];
int count = 0;

int read_file(const char *path)
{
    FILE *file = fopen(path, "r");
    struct student s;
    if (file == NULL)
        return 0;
    while (count < MAX_STUDENTS &&
           fscanf(file, "%d %31s %lf %lf %lf", &s.number, s.name, &s.marks[0], &s.marks[1], &s.marks[2]) == 5) {
        s.average = (s.marks[0] + s.marks[1] + s.marks[2]) / 3;
        students[count++] = s;
    }
    fclose(file);
    return 1;
}

int is_before(const struct student *a, const struct student *b, int key)
{
    if (key == 1)
        return a->number < b->number;
    if (key == 2)
        return strcmp(a->name, b->name) < 0;
    return a->average > b->average;
}

void sort(int key)
{
    int i, j;
    for (i = 1; i < count; i++) {
        struct student s = students[i];
        j = i - 1;
        while (j >= 0 && is_before(&s, &students[j], key)) {
            students[j + 1] = students[j];
            j--;
        }
        students[j + 1] = s;
    }
}

void print_all(void)
{
    int i;
    printf("%-8s %-20s %6s\n", "Number", "Name", "Mark");
    for (i = 0; i < count; i++)
        printf("%-8d %-20s %6.2f\n", students[i].number, students[i].name, students[i].average);
}

int search(int number)
{
    int low = 0, high = count - 1;
    sort(1);
    while (low <= high) {
        int middle = (low + high) / 2;
        if (students[middle].number == number)
            return middle;
        if (students[middle].number < number)
            low = middle + 1;
        else
            high = middle - 1;
    }
    return -1;
}

void statistics(void)
{
    int i, passed = 0;
    double sum = 0;
    for (i = 0; i < count; i++) {
        sum += students[i].average;
        if (students[i].average >= 50)
            passed++;
    }
    if (count > 0)
        printf("Average %.2f, %d of %d passed\n", sum / count, passed, count);
}

int main(int argc, char *argv[])
{
    int choice, number, index;
    if (argc < 2 || !read_file(argv[1])) {
        printf("Cannot read the file\n");
        return 1;
    }
    do {
        printf("1 sort by number, 2 by name, 3 by mark, 4 search, 5 statistics, 0 end: ");
        if (scanf("%d", &choice) != 1)
            break;
        if (choice >= 1 && choice <= 3) {
            sort(choice);
            print_all();
        } else if (choice == 4) {
            scanf("%d", &number);
            index = search(number);
            if (index < 0)
                printf("Not found\n");
            else
                printf("%s: %.2f\n", students[index].name, students[index].average);
        } else if (choice == 5) {
            statistics();
        }
    } while (choice != 0);
    return 0;
}
