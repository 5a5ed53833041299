using System;

class SortedList
{
    private class Link
    {
        public int Number;
        public int Copies;
        public Link Next;
    }

    private Link first = null;
    private int length = 0;

    public void Insert(int number)
    {
        Link before = null;
        Link current = first;
        while (current != null && current.Number < number)
        {
            before = current;
            current = current.Next;
        }
        if (current != null && current.Number == number)
        {
            current.Copies++;
            return;
        }
        Link link = new Link { Number = number, Copies = 1, Next = current };
        if (before == null)
        {
            first = link;
        }
        else
        {
            before.Next = link;
        }
        length++;
    }

    public bool Remove(int number)
    {
        Link before = null;
        Link current = first;
        while (current != null && current.Number != number)
        {
            before = current;
            current = current.Next;
        }
        if (current == null)
        {
            return false;
        }
        if (current.Copies > 1)
        {
            current.Copies--;
            return true;
        }
        if (before == null)
        {
            first = current.Next;
        }
        else
        {
            before.Next = current.Next;
        }
        length--;
        return true;
    }

    public void Reverse()
    {
        Link result = null;
        Link current = first;
        while (current != null)
        {
            Link following = current.Next;
            current.Next = result;
            result = current;
            current = following;
        }
        first = result;
    }

    public int At(int index)
    {
        if (index < 0 || index >= length)
        {
            throw new IndexOutOfRangeException("Index is outside of the list");
        }
        Link current = first;
        for (int i = 0; i < index; i++)
        {
            current = current.Next;
        }
        return current.Number;
    }

    public int Sum()
    {
        int total = 0;
        for (Link current = first; current != null; current = current.Next)
        {
            total += current.Number * current.Copies;
        }
        return total;
    }

    public void Print()
    {
        Console.Write($"[{length}] ");
        Link current = first;
        while (current != null)
        {
            Console.Write($"{current.Number}x{current.Copies} ");
            current = current.Next;
        }
        Console.WriteLine();
    }

    static void Main(string[] args)
    {
        SortedList list = new SortedList();
        int[] numbers = { 31, 4, 15, 92, 65, 35, 4, 89, 31, 4 };
        foreach (int number in numbers)
        {
            list.Insert(number);
        }
        list.Print();
        Console.WriteLine($"{list.Remove(4)}{list.Remove(92)}{list.Remove(1000)}");
        list.Print();
        Console.WriteLine($"Third: {list.At(2)}");
        Console.WriteLine($"Sum: {list.Sum()}");
        list.Reverse();
        list.Print();
    }
}
