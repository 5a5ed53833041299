/* Printer queue as a linked list ordered by priority. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct job {
    int id;
    char owner[20];
    int pages;
    int priority;
    struct job *next;
} Job;

Job *head = NULL;
int next_id = 1;
int printed_pages = 0;

void add_job(const char *owner, int pages, int priority)
{
    Job *job = malloc(sizeof(Job));
    if (job == NULL) {
        printf("Out of memory\n");
        exit(1);
    }
    job->id = next_id++;
    strncpy(job->owner, owner, 19);
    job->owner[19] = '\0';
    job->pages = pages;
    job->priority = priority;
    if (head == NULL || priority > head->priority) {
        job->next = head;
        head = job;
    } else {
        Job *current = head;
        while (current->next != NULL && current->next->priority >= priority)
            current = current->next;
        job->next = current->next;
        current->next = job;
    }
    printf("Job %d added\n", job->id);
}

int cancel_job(int id)
{
    Job *current = head;
    Job *previous = NULL;
    while (current != NULL && current->id != id) {
        previous = current;
        current = current->next;
    }
    if (current == NULL)
        return 0;
    if (previous == NULL)
        head = current->next;
    else
        previous->next = current->next;
    free(current);
    return 1;
}

void print_next(void)
{
    Job *job = head;
    if (job == NULL) {
        printf("Nothing to print\n");
        return;
    }
    head = job->next;
    printed_pages += job->pages;
    printf("Printing job %d of %s (%d pages)\n", job->id, job->owner, job->pages);
    free(job);
}

void show(void)
{
    Job *job;
    int pages = 0;
    for (job = head; job != NULL; job = job->next) {
        printf("%3d %-20s %4d pages, priority %d\n", job->id, job->owner, job->pages, job->priority);
        pages += job->pages;
    }
    printf("%d pages wait, %d were printed\n", pages, printed_pages);
}

int main(void)
{
    char command[10], owner[20];
    int pages, priority, id;
    while (scanf("%9s", command) == 1) {
        if (strcmp(command, "add") == 0) {
            scanf("%19s %d %d", owner, &pages, &priority);
            add_job(owner, pages, priority);
        } else if (strcmp(command, "cancel") == 0) {
            scanf("%d", &id);
            if (!cancel_job(id))
                printf("No job %d\n", id);
        } else if (strcmp(command, "print") == 0) {
            print_next();
        } else if (strcmp(command, "show") == 0) {
            show();
        } else if (strcmp(command, "quit") == 0) {
            break;
        }
    }
    while (head != NULL)
        cancel_job(head->id);
    return 0;
}
