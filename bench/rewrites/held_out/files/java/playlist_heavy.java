import java.util.Arrays;
import java.util.StringJoiner;

/** Music queue on a growing array with a cursor. */
public class MusicQueue {
    private record Track(String name, String band, int length) {}

    private Track[] tracks = new Track[2];
    private int used;
    private int cursor;

    private MusicQueue with(String name, String band, int length) {
        if (used == tracks.length) {
            tracks = Arrays.copyOf(tracks, used * 2);
        }
        tracks[used++] = new Track(name, band, length);
        return this;
    }

    private int position(String name) {
        int at = 0;
        while (at < used && !tracks[at].name().equals(name)) {
            at++;
        }
        return at < used ? at : -1;
    }

    private boolean drop(String name) {
        int at = position(name);
        if (at == -1) {
            return false;
        }
        System.arraycopy(tracks, at + 1, tracks, at, used - at - 1);
        tracks[--used] = null;
        if (at < cursor) {
            cursor--;
        } else if (cursor == used) {
            cursor = 0;
        }
        return true;
    }

    private void jump(int by) {
        cursor = used == 0 ? 0 : Math.floorMod(cursor + by, used);
    }

    private void flip() {
        for (int low = 0, high = used - 1; low < high; low++, high--) {
            Track track = tracks[low];
            tracks[low] = tracks[high];
            tracks[high] = track;
        }
        cursor = used - 1 - cursor;
    }

    @Override
    public String toString() {
        StringJoiner lines = new StringJoiner("\n");
        int sum = 0;
        for (int at = 0; at < used; at++) {
            Track track = tracks[at];
            sum += track.length();
            lines.add((at == cursor ? "*" : " ") + (at + 1) + " " + track.band() + ": " + track.name());
        }
        return lines.add(String.format("total %d tracks in %d min %d s", used, sum / 60, sum % 60)).toString();
    }

    public static void main(String[] arguments) {
        MusicQueue queue = new MusicQueue()
            .with("Yesterday", "Beatles", 125)
            .with("Creep", "Radiohead", 238)
            .with("Hurt", "Cash", 218)
            .with("Alive", "Pearl Jam", 341);
        queue.jump(2);
        System.out.println(queue);
        queue.flip();
        queue.drop("Hurt");
        queue.jump(-3);
        System.out.println(queue);
    }
}
