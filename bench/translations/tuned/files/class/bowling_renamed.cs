using System;
using System.Collections.Generic;
using System.Linq;

class Sheet
{
    public string Who { get; }
    public List<int> Throws { get; } = new List<int>();

    public Sheet(string who)
    {
        Who = who;
    }

    public int Points()
    {
        int sum = 0;
        int at = 0;
        for (int round = 0; round < 10; round++)
        {
            if (Throws[at] == 10)
            {
                sum += 10 + Throws[at + 1] + Throws[at + 2];
                at += 1;
            }
            else if (Throws[at] + Throws[at + 1] == 10)
            {
                sum += 10 + Throws[at + 2];
                at += 2;
            }
            else
            {
                sum += Throws[at] + Throws[at + 1];
                at += 2;
            }
        }
        return sum;
    }

    public void Throw(int count)
    {
        if (count < 0 || count > 10)
        {
            throw new ArgumentException("Impossible throw: " + count);
        }
        Throws.Add(count);
    }

    public string Level()
    {
        int sum = Points();
        if (sum == 300)
        {
            return "flawless";
        }
        if (sum >= 180)
        {
            return "excellent";
        }
        if (sum >= 110)
        {
            return "fine";
        }
        return "novice";
    }

    public static Sheet Read(string text)
    {
        string[] halves = text.Split(':');
        var sheet = new Sheet(halves[0].Trim());
        foreach (string s in halves[1].Split(' ', StringSplitOptions.RemoveEmptyEntries))
        {
            if (s == "X")
            {
                sheet.Throw(10);
            }
            else if (s == "/")
            {
                sheet.Throw(10 - sheet.Throws[sheet.Throws.Count - 1]);
            }
            else if (s == "-")
            {
                sheet.Throw(0);
            }
            else
            {
                sheet.Throw(int.Parse(s));
            }
        }
        return sheet;
    }

    static void Main()
    {
        var sheets = new List<Sheet>
        {
            Read("Walter: X X X X X X X X X X X X"),
            Read("Donny: 9 - 8 / 7 / X 3 4 5 / X X 6 2 8 /  X"),
            Read("Smokey: 8 1 7 2 - - 3 3 4 5 9 - 2 2 1 / 6 1 X 5 4"),
        };
        Sheet top = sheets[0];
        foreach (var sheet in sheets)
        {
            Console.WriteLine($"{sheet.Who}: {sheet.Points()}, {sheet.Level()}");
            if (sheet.Points() > top.Points())
            {
                top = sheet;
            }
        }
        Console.WriteLine($"First place: {top.Who}");
    }
}
