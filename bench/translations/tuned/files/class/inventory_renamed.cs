using System;
using System.Collections.Generic;

namespace Shop
{
    class Product
    {
        public string Code;
        public string Name;
        public int Count;
        public double Cost;

        public Product(string code, string name, int count, double cost)
        {
            Code = code;
            Name = name;
            Count = count;
            Cost = cost;
        }
    }

    class Warehouse
    {
        const int Minimum = 15;
        private Dictionary<string, Product> products = new Dictionary<string, Product>();
        public List<string> Open = new List<string>();

        public double Worth()
        {
            double sum = 0.0;
            foreach (var p in products.Values)
            {
                sum += p.Count * p.Cost;
            }
            return sum;
        }

        public List<string> Scarce()
        {
            var codes = new List<string>();
            foreach (var p in products.Values)
            {
                if (p.Count < Minimum)
                {
                    codes.Add(p.Code);
                }
            }
            codes.Sort();
            return codes;
        }

        public void Deliver(string code, string name, int count, double cost)
        {
            if (products.ContainsKey(code))
            {
                var p = products[code];
                p.Count += count;
                p.Cost = cost;
            }
            else
            {
                products[code] = new Product(code, name, count, cost);
            }
        }

        public int Send(string code, int count)
        {
            if (!products.ContainsKey(code))
            {
                Console.WriteLine("Not in the catalogue: " + code);
                return 0;
            }
            var p = products[code];
            int sent = Math.Min(count, p.Count);
            p.Count -= sent;
            if (sent < count)
            {
                Open.Add(code + "/" + (count - sent));
            }
            return sent;
        }

        public int Reduce(string start, int percentage)
        {
            int n = 0;
            foreach (var p in products.Values)
            {
                if (p.Code.StartsWith(start) && p.Count > 3 * Minimum)
                {
                    p.Cost = Math.Round(p.Cost * (100 - percentage) / 100, 2);
                    n++;
                }
            }
            return n;
        }

        static void Main()
        {
            var w = new Warehouse();
            w.Deliver("T-100", "Hammer", 40, 12.99);
            w.Deliver("T-205", "Pliers", 8, 7.49);
            w.Deliver("G-310", "Hose", 120, 19.95);
            w.Deliver("T-100", "Hammer", 20, 13.49);
            Console.WriteLine($"Sent {w.Send("T-100", 55)}");
            Console.WriteLine($"Sent {w.Send("T-205", 11)}");
            Console.WriteLine($"Sent {w.Send("X-999", 1)}");
            Console.WriteLine($"Reduced {w.Reduce("G", 15)}");
            Console.WriteLine("Scarce: " + string.Join(", ", w.Scarce()));
            Console.WriteLine("Open: " + string.Join(", ", w.Open));
            Console.WriteLine($"Worth: {w.Worth():F2}");
        }
    }
}
