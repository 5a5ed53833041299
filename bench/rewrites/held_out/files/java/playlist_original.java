/** A playlist as a doubly linked list. */
public class Playlist {
    static class Song {
        String title;
        String artist;
        int seconds;
        Song next;
        Song previous;

        Song(String title, String artist, int seconds) {
            this.title = title;
            this.artist = artist;
            this.seconds = seconds;
        }
    }

    private Song first;
    private Song last;
    private Song current;
    private int size;

    void add(String title, String artist, int seconds) {
        Song song = new Song(title, artist, seconds);
        if (first == null) {
            first = song;
            current = song;
        } else {
            last.next = song;
            song.previous = last;
        }
        last = song;
        size++;
    }

    boolean remove(String title) {
        Song song = first;
        while (song != null && !song.title.equals(title)) {
            song = song.next;
        }
        if (song == null) {
            return false;
        }
        if (song.previous == null) {
            first = song.next;
        } else {
            song.previous.next = song.next;
        }
        if (song.next == null) {
            last = song.previous;
        } else {
            song.next.previous = song.previous;
        }
        if (song == current) {
            current = song.next != null ? song.next : first;
        }
        size--;
        return true;
    }

    void skip(int steps) {
        if (current == null) {
            return;
        }
        while (steps > 0) {
            current = current.next == null ? first : current.next;
            steps--;
        }
        while (steps < 0) {
            current = current.previous == null ? last : current.previous;
            steps++;
        }
    }

    void reverse() {
        Song song = first;
        while (song != null) {
            Song next = song.next;
            song.next = song.previous;
            song.previous = next;
            song = next;
        }
        Song old = first;
        first = last;
        last = old;
    }

    String length() {
        int total = 0;
        for (Song song = first; song != null; song = song.next) {
            total += song.seconds;
        }
        return String.format("%d:%02d", total / 60, total % 60);
    }

    void print() {
        int number = 1;
        for (Song song = first; song != null; song = song.next) {
            String mark = song == current ? "> " : "  ";
            System.out.println(mark + number + ". " + song.title + " - " + song.artist);
            number++;
        }
        System.out.println(size + " songs, " + length());
    }

    public static void main(String[] args) {
        Playlist playlist = new Playlist();
        playlist.add("Yesterday", "Beatles", 125);
        playlist.add("Creep", "Radiohead", 238);
        playlist.add("Hurt", "Cash", 218);
        playlist.add("Alive", "Pearl Jam", 341);
        playlist.skip(2);
        playlist.print();
        playlist.reverse();
        playlist.remove("Hurt");
        playlist.skip(-3);
        playlist.print();
    }
}
