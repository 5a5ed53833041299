/** Recursive descent: sum = product {(+|-) product}, product = atom {(*|/) atom}. */
public class Parser {
    private final String s;
    private int pos = 0;
    private final StringBuilder rpn = new StringBuilder();

    Parser(String s) {
        this.s = s.replace(" ", "");
    }

    private boolean eat(char c) {
        if (pos < s.length() && s.charAt(pos) == c) {
            pos++;
            return true;
        }
        return false;
    }

    private double sum() {
        double v = product();
        for (;;) {
            if (eat('+')) {
                v += product();
                rpn.append("+ ");
            } else if (eat('-')) {
                v -= product();
                rpn.append("- ");
            } else {
                return v;
            }
        }
    }

    private double product() {
        double v = atom();
        for (;;) {
            if (eat('*')) {
                v *= atom();
                rpn.append("* ");
            } else if (eat('/')) {
                v /= atom();
                rpn.append("/ ");
            } else {
                return v;
            }
        }
    }

    private double atom() {
        if (eat('(')) {
            double v = sum();
            if (!eat(')')) throw new IllegalStateException("missing ) at " + pos);
            return v;
        }
        int start = pos;
        while (pos < s.length() && "0123456789.".indexOf(s.charAt(pos)) >= 0) pos++;
        if (start == pos) throw new IllegalStateException("number expected at " + pos);
        rpn.append(s, start, pos).append(' ');
        return Double.parseDouble(s.substring(start, pos));
    }

    public static void main(String[] args) throws java.io.IOException {
        var reader = new java.io.BufferedReader(new java.io.InputStreamReader(System.in));
        for (String line; (line = reader.readLine()) != null; ) {
            Parser p = new Parser(line);
            try {
                double v = p.sum();
                System.out.println(p.rpn + "= " + v);
            } catch (IllegalStateException e) {
                System.out.println(e.getMessage());
            }
        }
    }
}
