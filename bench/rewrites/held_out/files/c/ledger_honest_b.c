#include <stdio.h>
#include <stdlib.h>

struct booking {
    int person;
    int cents;
};

struct booking *bookings = NULL;
int size = 0;
int room = 0;

void book(int person, int cents)
{
    if (size == room) {
        room = room ? room * 2 : 8;
        bookings = realloc(bookings, room * sizeof(struct booking));
    }
    bookings[size].person = person;
    bookings[size].cents = cents;
    size++;
}

int total(int person)
{
    int sum = 0;
    for (int i = 0; i < size; i++)
        if (person == -1 || bookings[i].person == person)
            sum += bookings[i].cents;
    return sum;
}

int main()
{
    int persons, p, more = 1;
    float euro;
    printf("How many persons are in the club? ");
    scanf("%d", &persons);
    if (persons < 1 || persons > 50)
        return 1;
    while (more) {
        printf("Who paid (0 = finish)? ");
        scanf("%d", &p);
        if (p == 0) {
            more = 0;
        } else if (p > persons) {
            printf("Wrong number\n");
        } else {
            printf("How much? ");
            scanf("%f", &euro);
            book(p, (int)(euro * 100));
        }
    }
    int *rest = malloc((persons + 1) * sizeof(int));
    int average = total(-1) / persons;
    printf("Everybody has to pay %d.%02d\n", average / 100, average % 100);
    for (p = 1; p <= persons; p++) {
        rest[p] = total(p) - average;
        printf("Person %d paid %d cents\n", p, total(p));
    }
    /* two pointers: one that owes, one that gets */
    int a = 1, b = 1;
    while (a <= persons && b <= persons) {
        if (rest[a] >= 0) {
            a++;
        } else if (rest[b] <= 0) {
            b++;
        } else {
            int x = rest[b];
            if (-rest[a] < x)
                x = -rest[a];
            printf("%d pays %d cents to %d\n", a, x, b);
            rest[a] += x;
            rest[b] -= x;
        }
    }
    free(rest);
    free(bookings);
    return 0;
}
