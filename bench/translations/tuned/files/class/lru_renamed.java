import java.util.HashMap;

class Entry {
    String id;
    int data;
    int used;
    Entry before;
    Entry after;

    Entry(String id, int data) {
        this.id = id;
        this.data = data;
    }
}

public class Memory {
    private final int room;
    private int failures = 0;
    private final Entry first = new Entry("", 0);
    private final Entry last = new Entry("", 0);
    private final HashMap<String, Entry> index = new HashMap<>();

    public Memory(int room) {
        this.room = room;
        first.after = last;
        last.before = first;
    }

    public void store(String id, int data) {
        if (index.containsKey(id)) {
            Entry e = index.get(id);
            e.data = data;
            cut(e);
            toTop(e);
            return;
        }
        if (index.size() == room) {
            Entry victim = last.before;
            System.out.println("drop " + victim.id + ", used " + victim.used);
            cut(victim);
            index.remove(victim.id);
        }
        Entry e = new Entry(id, data);
        index.put(id, e);
        toTop(e);
    }

    public int fetch(String id) {
        if (!index.containsKey(id)) {
            failures++;
            return -1;
        }
        Entry e = index.get(id);
        e.used++;
        cut(e);
        toTop(e);
        return e.data;
    }

    public void show() {
        Entry e = first.after;
        while (e != last) {
            System.out.print(e.id + ":" + e.data + " ");
            e = e.after;
        }
        System.out.println("failures: " + failures);
    }

    private void cut(Entry e) {
        e.before.after = e.after;
        e.after.before = e.before;
    }

    private void toTop(Entry e) {
        e.after = first.after;
        e.before = first;
        first.after.before = e;
        first.after = e;
    }

    public static void main(String[] args) {
        Memory m = new Memory(3);
        m.store("red", 11);
        m.store("green", 22);
        m.store("blue", 33);
        m.fetch("red");
        m.store("white", 44);
        m.fetch("green");
        m.store("blue", 55);
        m.show();
    }
}
