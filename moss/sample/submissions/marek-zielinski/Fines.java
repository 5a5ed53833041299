import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.DayOfWeek;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** Library fines - starter file. Usage: java Fines loans.csv [YYYY-MM-DD] */
public class Fines {

    /** Days on which the library is closed, besides every Sunday. */
    static final Set<LocalDate> HOLIDAYS = Set.of(
            LocalDate.of(2024, 3, 29),
            LocalDate.of(2024, 4, 1),
            LocalDate.of(2024, 5, 1));

    /** The lines of the file without the header and empty lines. */
    static List<String> readLines(String path) throws IOException {
        List<String> lines = new ArrayList<>();
        for (String line : Files.readAllLines(Path.of(path))) {
            if (!line.isBlank() && !line.startsWith("member,")) {
                lines.add(line.strip());
            }
        }
        return lines;
    }

    public static void main(String[] args) throws IOException
    {
        if (args.length < 1 || args.length > 2) {
            System.err.println("Usage: java Fines loans.csv [YYYY-MM-DD]");
            System.exit(2);
        }
        LocalDate reportDay = args.length == 2 ? LocalDate.parse(args[1]) : LocalDate.now();
        List<String> lines = readLines(args[0]);

        TreeMap<String, Double> sumOfMember = new TreeMap<>();
        TreeMap<String, Double> sumOfTitle = new TreeMap<>();
        double all = 0;
        int wrong = 0;

        for (int nr = 0; nr < lines.size(); nr++)
        {
            // cut the line at the commas
            String rest = lines.get(nr) + ",";
            List<String> field = new ArrayList<>();
            int comma = rest.indexOf(',');
            while (comma >= 0)
            {
                field.add(rest.substring(0, comma));
                rest = rest.substring(comma + 1);
                comma = rest.indexOf(',');
            }
            if (field.size() != 5)
            {
                wrong++;
                continue;
            }

            double rate;
            double max;
            int grace;
            switch (field.get(2))
            {
                case "book":
                    rate = 0.25; max = 10; grace = 3;
                    break;
                case "magazine":
                    rate = 0.10; max = 4; grace = 3;
                    break;
                case "dvd":
                    rate = 1; max = 15; grace = 1;
                    break;
                case "equipment":
                    rate = 2.5; max = 60; grace = 0;
                    break;
                default:
                    wrong++;
                    continue;
            }

            LocalDate day;
            LocalDate end = reportDay;
            try
            {
                day = LocalDate.parse(field.get(3));
                if (!field.get(4).isEmpty())
                    end = LocalDate.parse(field.get(4));
            }
            catch (Exception ex)
            {
                wrong++;
                continue;
            }

            int count = -1;     // the due date itself is free
            do
            {
                boolean closed = day.getDayOfWeek().equals(DayOfWeek.SUNDAY);
                for (LocalDate holiday : HOLIDAYS)
                    if (holiday.equals(day))
                        closed = true;
                if (!closed || count == -1)
                    count++;
                day = day.plusDays(1);
            }
            while (!day.isAfter(end));

            double fine = 0.0;
            if (count > grace)
                fine = Math.min(max, count * rate);
            if (field.get(0).startsWith("J"))
                fine = Math.floor(fine * 50) / 100;

            Double old = sumOfMember.get(field.get(0));
            sumOfMember.put(field.get(0), old == null ? fine : old + fine);
            old = sumOfTitle.get(field.get(1));
            sumOfTitle.put(field.get(1), old == null ? fine : old + fine);
            all += fine;
        }

        // all different amounts, biggest first, and for each amount the members
        TreeSet<Double> amounts = new TreeSet<>(sumOfMember.values());
        for (double amount : amounts.descendingSet())
            for (String member : sumOfMember.keySet())
                if (sumOfMember.get(member) == amount && amount > 0)
                    System.out.printf("%s: %.2f%n", member, amount);
        System.out.printf("Together: %.2f%n", all);

        int printed = 0;
        amounts = new TreeSet<>(sumOfTitle.values());
        for (double amount : amounts.descendingSet())
            for (String title : sumOfTitle.keySet())
                if (sumOfTitle.get(title) == amount && printed++ < 3)
                    System.out.printf("Bad title: %s (%.2f)%n", title, amount);

        if (wrong > 0)
            System.out.println("Wrong lines: " + wrong);
    }
}
