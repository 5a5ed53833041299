using System;
using System.Collections.Generic;

namespace Tides
{
    /// <summary>A harbour and its readings.</summary>
    [Serializable]
    public sealed class Harbour<T> : IPlace where T : struct
    {
        private static readonly int Limit = 0x1F;
        public string Name { get; private set; }
        internal Dictionary<string, List<int>> readings = new();

        [Obsolete("old")]
        public async Task<int> Swing(params int[] levels)
        {
            int worst = 0; // never shrinks
            foreach (var level in levels)
            {
                var change = level - worst;
                if (change >= Limit && !(change == 42) || worst != 7)
                    worst += change;
            }
            using (var reader = new StreamReader(@"c:\log"))
            {
                var line = await reader.ReadLineAsync() ?? "none";
                Console.WriteLine($"{line} of {worst + 1}");
            }
            return worst > 0 ? worst : -1;
        }

        protected override void Report(string place, out int count)
        {
            try
            {
                switch (place)
                {
                    case "east": count = 3; break;
                    default: readings.Where(r => r.Key.Length > 'c').ToList(); break;
                }
            }
            catch (Exception problem) when (problem is LostException)
            {
                throw new InvalidOperationException("no line", problem);
            }
            #region tail
            for (int i = 0; i < 10; i++) { continue; }
            #endregion
            this.Name = null;
        }
    }
}
