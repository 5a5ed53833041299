public class RingList<T> {
    private class Node {
        T value;
        Node left = this, right = this;

        Node(T value) {
            this.value = value;
        }
    }

    private Node cursor = null;
    private int n = 0;

    public void insertBehind(T value) {
        Node node = new Node(value);
        if (cursor != null) {
            node.left = cursor;
            node.right = cursor.right;
            cursor.right.left = node;
            cursor.right = node;
        }
        cursor = node;
        n++;
    }

    public T removeCursor() {
        Node gone = cursor;
        if (n == 1) {
            cursor = null;
        } else {
            gone.left.right = gone.right;
            gone.right.left = gone.left;
            cursor = gone.right;
        }
        n--;
        return gone.value;
    }

    public T forward() {
        cursor = cursor.right;
        return cursor.value;
    }

    public T backward() {
        cursor = cursor.left;
        return cursor.value;
    }

    public boolean search(T value) {
        for (int i = 0; i < n; i++) {
            if (forward().equals(value)) return true;
        }
        return false;
    }

    public RingList<T> reversed() {
        RingList<T> r = new RingList<>();
        for (int i = 0; i < n; i++) {
            r.insertBehind(cursor.value);
            backward();
        }
        return r;
    }

    public static void main(String[] args) {
        RingList<String> songs = new RingList<>();
        String[] names = {"Imagine", "Hello", "Thriller"};
        int[] lengths = {183, 295, 357};
        int sum = 0;
        for (int i = 0; i < names.length; i++) {
            songs.insertBehind(names[i]);
            sum = sum + lengths[i];
        }
        System.out.println("length of the playlist: " + sum / 60.0 + " min");
        System.out.println(songs.forward());
        System.out.println(songs.backward());
        if (songs.search("Hello")) {
            System.out.println(songs.removeCursor() + " was removed");
        }
        RingList<String> other = songs.reversed();
        for (int i = 0; i < other.n; i++) {
            System.out.println((i + 1) + ") " + other.forward());
        }
    }
}
