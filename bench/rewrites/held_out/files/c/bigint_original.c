/* Addition and multiplication of numbers of any length. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_DIGITS 1000

typedef struct {
    int digits[MAX_DIGITS];
    int length;
} BigInt;

int from_string(const char *text, BigInt *number)
{
    int i, n = strlen(text);
    if (n == 0 || n > MAX_DIGITS)
        return 0;
    for (i = 0; i < n; i++) {
        if (!isdigit((unsigned char)text[n - 1 - i]))
            return 0;
        number->digits[i] = text[n - 1 - i] - '0';
    }
    number->length = n;
    while (number->length > 1 && number->digits[number->length - 1] == 0)
        number->length--;
    return 1;
}

void print(const BigInt *number)
{
    int i;
    for (i = number->length - 1; i >= 0; i--)
        printf("%d", number->digits[i]);
    printf("\n");
}

void add(const BigInt *a, const BigInt *b, BigInt *sum)
{
    int carry = 0;
    int i;
    int length = a->length > b->length ? a->length : b->length;
    for (i = 0; i < length; i++) {
        int value = carry;
        if (i < a->length)
            value += a->digits[i];
        if (i < b->length)
            value += b->digits[i];
        sum->digits[i] = value % 10;
        carry = value / 10;
    }
    if (carry > 0) {
        sum->digits[length] = carry;
        length++;
    }
    sum->length = length;
}

void multiply(const BigInt *a, const BigInt *b, BigInt *product)
{
    int i, j, carry;
    product->length = a->length + b->length;
    for (i = 0; i < product->length; i++)
        product->digits[i] = 0;
    for (i = 0; i < a->length; i++) {
        carry = 0;
        for (j = 0; j < b->length; j++) {
            int value = product->digits[i + j] + a->digits[i] * b->digits[j] + carry;
            product->digits[i + j] = value % 10;
            carry = value / 10;
        }
        product->digits[i + b->length] = carry;
    }
    while (product->length > 1 && product->digits[product->length - 1] == 0)
        product->length--;
}

int compare(const BigInt *a, const BigInt *b)
{
    int i;
    if (a->length != b->length)
        return a->length > b->length ? 1 : -1;
    for (i = a->length - 1; i >= 0; i--)
        if (a->digits[i] != b->digits[i])
            return a->digits[i] > b->digits[i] ? 1 : -1;
    return 0;
}

int main(void)
{
    char first[MAX_DIGITS + 1], second[MAX_DIGITS + 1];
    static BigInt a, b, c;
    printf("Two numbers: ");
    scanf("%1000s %1000s", first, second);
    if (!from_string(first, &a) || !from_string(second, &b)) {
        printf("Not a number\n");
        return 1;
    }
    add(&a, &b, &c);
    printf("Sum: ");
    print(&c);
    multiply(&a, &b, &c);
    printf("Product: ");
    print(&c);
    if (compare(&a, &b) == 0)
        printf("They are equal\n");
    else
        printf("The %s is larger\n", compare(&a, &b) > 0 ? "first" : "second");
    return 0;
}
