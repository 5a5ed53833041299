/* Ledger of a club: members pay, expenses are shared, balances are settled. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_MEMBERS 20

struct member {
    char name[20];
    long paid;
    long share;
};

struct member members[MAX_MEMBERS];
int member_count = 0;

int find_member(const char *name)
{
    int i;
    for (i = 0; i < member_count; i++) {
        if (strcmp(members[i].name, name) == 0)
            return i;
    }
    return -1;
}

int add_member(const char *name)
{
    if (member_count == MAX_MEMBERS || find_member(name) >= 0)
        return 0;
    strncpy(members[member_count].name, name, 19);
    members[member_count].paid = 0;
    members[member_count].share = 0;
    member_count++;
    return 1;
}

int add_expense(const char *name, long cents)
{
    int i, payer = find_member(name);
    long part, rest;
    if (payer < 0 || cents <= 0)
        return 0;
    members[payer].paid += cents;
    part = cents / member_count;
    rest = cents % member_count;
    for (i = 0; i < member_count; i++) {
        members[i].share += part;
        if (i < rest)
            members[i].share++;
    }
    return 1;
}

void print_balances(void)
{
    int i;
    for (i = 0; i < member_count; i++) {
        long balance = members[i].paid - members[i].share;
        printf("%-20s paid %8.2f balance %8.2f\n", members[i].name,
               members[i].paid / 100.0, balance / 100.0);
    }
}

void settle(void)
{
    long balance[MAX_MEMBERS];
    int i;
    for (i = 0; i < member_count; i++)
        balance[i] = members[i].paid - members[i].share;
    for (;;) {
        int low = 0, high = 0;
        long amount;
        for (i = 1; i < member_count; i++) {
            if (balance[i] < balance[low])
                low = i;
            if (balance[i] > balance[high])
                high = i;
        }
        if (balance[high] <= 0)
            break;
        amount = -balance[low] < balance[high] ? -balance[low] : balance[high];
        printf("%s gives %.2f to %s\n", members[low].name, amount / 100.0, members[high].name);
        balance[low] += amount;
        balance[high] -= amount;
    }
}

int main(void)
{
    char command[10], name[20];
    double amount;
    while (printf("> "), scanf("%9s", command) == 1) {
        if (strcmp(command, "member") == 0) {
            scanf("%19s", name);
            if (!add_member(name))
                printf("Not possible\n");
        } else if (strcmp(command, "pay") == 0) {
            scanf("%19s %lf", name, &amount);
            if (!add_expense(name, (long)(amount * 100 + 0.5)))
                printf("Unknown member or amount\n");
        } else if (strcmp(command, "balance") == 0) {
            print_balances();
        } else if (strcmp(command, "settle") == 0) {
            settle();
        } else if (strcmp(command, "quit") == 0) {
            return 0;
        } else {
            printf("Commands: member, pay, balance, settle, quit\n");
        }
    }
    return 0;
}
