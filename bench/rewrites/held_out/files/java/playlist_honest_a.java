import java.util.LinkedList;
import java.util.ListIterator;
import java.util.Scanner;

class Song {
    final String name;
    final int minutes, seconds;

    Song(String name, String time) {
        this.name = name;
        String[] t = time.split(":");
        minutes = Integer.parseInt(t[0]);
        seconds = Integer.parseInt(t[1]);
    }

    @Override
    public String toString() {
        return name + " [" + minutes + ":" + (seconds < 10 ? "0" : "") + seconds + "]";
    }
}

public class Player {
    private final LinkedList<Song> songs = new LinkedList<>();
    private ListIterator<Song> place = songs.listIterator();

    void append(Song s) {
        songs.addLast(s);
        place = songs.listIterator();
    }

    void delete(String name) {
        boolean gone = songs.removeIf(s -> s.name.equalsIgnoreCase(name));
        System.out.println(gone ? "deleted" : "there is no " + name);
        place = songs.listIterator();
    }

    void next() {
        if (!place.hasNext()) place = songs.listIterator();
        if (songs.isEmpty()) System.out.println("silence");
        else System.out.println("now playing " + place.next());
    }

    void back() {
        System.out.println(place.hasPrevious() ? "now playing " + place.previous() : "this was the first");
    }

    void total() {
        int s = 0;
        for (Song song : songs) s += song.minutes * 60 + song.seconds;
        System.out.println("all together " + s / 60 + " minutes and " + s % 60 + " seconds");
    }

    public static void main(String[] args) {
        Player p = new Player();
        Scanner in = new Scanner(System.in);
        System.out.println("a(dd) d(elete) n(ext) b(ack) r(everse) t(otal) q");
        for (String c = in.next(); !c.equals("q"); c = in.next()) {
            if (c.equals("a")) p.append(new Song(in.next(), in.next()));
            else if (c.equals("d")) p.delete(in.next());
            else if (c.equals("n")) p.next();
            else if (c.equals("b")) p.back();
            else if (c.equals("t")) p.total();
            else if (c.equals("r")) {
                java.util.Collections.reverse(p.songs);
                p.place = p.songs.listIterator();
            }
            System.out.println(p.songs);
        }
    }
}
