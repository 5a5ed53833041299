/* Spooler: waiting documents are in a heap on an array. */
#include <stdio.h>
#include <string.h>

#define SLOTS 256

struct document {
    char user[20];
    unsigned number, urgency, sheets;
};

struct spooler {
    struct document slot[SLOTS];
    unsigned waiting, issued, done;
};

static int precedes(const struct document *x, const struct document *y)
{
    return x->urgency > y->urgency || (x->urgency == y->urgency && x->number < y->number);
}

static void exchange(struct document *x, struct document *y)
{
    struct document kept = *x;
    *x = *y;
    *y = kept;
}

static void rise(struct spooler *s, unsigned at)
{
    for (unsigned parent; at > 0; at = parent) {
        parent = (at - 1) / 2;
        if (!precedes(&s->slot[at], &s->slot[parent]))
            return;
        exchange(&s->slot[at], &s->slot[parent]);
    }
}

static void sink(struct spooler *s, unsigned at)
{
    for (;;) {
        unsigned best = at;
        for (unsigned child = 2 * at + 1; child <= 2 * at + 2; ++child)
            if (child < s->waiting && precedes(&s->slot[child], &s->slot[best]))
                best = child;
        if (best == at)
            return;
        exchange(&s->slot[at], &s->slot[best]);
        at = best;
    }
}

static struct document take(struct spooler *s, unsigned at)
{
    struct document taken = s->slot[at];
    s->slot[at] = s->slot[--s->waiting];
    rise(s, at);
    sink(s, at);
    return taken;
}

static void do_add(struct spooler *s)
{
    struct document d = {.number = ++s->issued};
    scanf("%19s %u %u", d.user, &d.sheets, &d.urgency);
    if (s->waiting == SLOTS) {
        puts("the spooler is full");
        return;
    }
    s->slot[s->waiting] = d;
    rise(s, s->waiting++);
    printf("accepted as %u\n", d.number);
}

static void do_cancel(struct spooler *s)
{
    unsigned number, at = 0;
    scanf("%u", &number);
    while (at < s->waiting && s->slot[at].number != number)
        ++at;
    if (at < s->waiting)
        take(s, at);
    else
        printf("%u does not wait\n", number);
}

static void do_print(struct spooler *s)
{
    if (!s->waiting) {
        puts("idle");
        return;
    }
    struct document d = take(s, 0);
    s->done += d.sheets;
    printf("-> %u: %u sheets for %s\n", d.number, d.sheets, d.user);
}

static void do_show(struct spooler *s)
{
    struct spooler copy = *s;
    unsigned sheets = 0;
    while (copy.waiting) {
        struct document d = take(&copy, 0);
        sheets += d.sheets;
        printf("%u\t%s\t%u sheets\turgency %u\n", d.number, d.user, d.sheets, d.urgency);
    }
    printf("waiting: %u sheets, done: %u\n", sheets, s->done);
}

static const struct {
    const char *verb;
    void (*action)(struct spooler *);
} verbs[] = {{"add", do_add}, {"cancel", do_cancel}, {"print", do_print}, {"show", do_show}};

int main(void)
{
    static struct spooler spooler;
    char verb[10];
    while (scanf("%9s", verb) == 1 && strcmp(verb, "quit"))
        for (size_t v = 0; v < sizeof verbs / sizeof *verbs; ++v)
            if (!strcmp(verb, verbs[v].verb))
                verbs[v].action(&spooler);
    return 0;
}
