import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.function.Predicate;

/** Generic doubly linked list with iterator. */
public class MyList<T> implements Iterable<T> {
    private static class Node<T> {
        T content;
        Node<T> left, right;

        Node(T content) {
            this.content = content;
        }
    }

    private final Node<T> sentinel = new Node<>(null);
    private int elements;

    public MyList() {
        sentinel.left = sentinel.right = sentinel;
    }

    public MyList<T> append(T content) {
        Node<T> node = new Node<>(content);
        node.left = sentinel.left;
        node.right = sentinel;
        sentinel.left.right = node;
        sentinel.left = node;
        elements++;
        return this;
    }

    public T removeFirst() {
        if (elements == 0) {
            throw new NoSuchElementException("the list is empty");
        }
        Node<T> node = sentinel.right;
        sentinel.right = node.right;
        node.right.left = sentinel;
        elements--;
        return node.content;
    }

    public MyList<T> filter(Predicate<T> condition) {
        MyList<T> result = new MyList<>();
        for (T content : this) {
            if (condition.test(content)) {
                result.append(content);
            }
        }
        return result;
    }

    @Override
    public Iterator<T> iterator() {
        return new Iterator<>() {
            private Node<T> node = sentinel.right;

            @Override
            public boolean hasNext() {
                return node != sentinel;
            }

            @Override
            public T next() {
                T content = node.content;
                node = node.right;
                return content;
            }
        };
    }

    public static void main(String[] args) {
        MyList<String> cities = new MyList<String>().append("Rome").append("Oslo").append("Paris").append("Riga");
        for (String city : cities.filter(name -> name.startsWith("R"))) {
            System.out.println(city);
        }
        System.out.println(cities.removeFirst() + " was first, " + cities.elements + " left");
    }
}
