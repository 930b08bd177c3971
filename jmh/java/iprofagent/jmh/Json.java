package iprofagent.jmh;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Reads JSON that the agent and the tool write: objects are Maps, arrays Lists; numbers are Longs, or Doubles if they have
 * a point or an exponent.
 */
final class Json {
    /** The text is not JSON. */
    static final class Malformed extends Exception {
        private static final long serialVersionUID = 1;

        Malformed(String message) {
            super(message);
        }
    }

    private static final int DEEPEST = 100;

    private final String text;
    private int at;
    private int depth;

    private Json(String text) {
        this.text = text;
    }

    static Object parse(String text) throws Malformed {
        Json json = new Json(text);
        Object value = json.value();
        json.skipSpace();
        if (json.at < text.length()) {
            throw json.malformed("the end");
        }
        return value;
    }

    @SuppressWarnings("unchecked")
    static Map<String, Object> object(Object value) throws Malformed {
        if (value instanceof Map) {
            return (Map<String, Object>) value;
        }
        throw new Malformed("an object was expected");
    }

    @SuppressWarnings("unchecked")
    static List<Object> array(Object value) throws Malformed {
        if (value instanceof List) {
            return (List<Object>) value;
        }
        throw new Malformed("an array was expected");
    }

    static long number(Object value) throws Malformed {
        if (value instanceof Long number) {
            return number;
        }
        throw new Malformed("an integer was expected");
    }

    private Object value() throws Malformed {
        skipSpace();
        char first = at < text.length() ? text.charAt(at) : '\0';
        switch (first) {
            case '{':
                return members();
            case '[':
                return elements();
            case '"':
                return string();
            case 't':
                return word("true", true);
            case 'f':
                return word("false", false);
            case 'n':
                return word("null", null);
            default:
                return numberHere();
        }
    }

    private Map<String, Object> members() throws Malformed {
        Map<String, Object> members = new LinkedHashMap<>();
        enter();
        if (!nextIs('}')) {
            do {
                skipSpace();
                String key = string();
                expect(':');
                members.put(key, value());
            } while (nextIs(','));
            expect('}');
        }
        --depth;
        return members;
    }

    private List<Object> elements() throws Malformed {
        List<Object> elements = new ArrayList<>();
        enter();
        if (!nextIs(']')) {
            do {
                elements.add(value());
            } while (nextIs(','));
            expect(']');
        }
        --depth;
        return elements;
    }

    private void enter() throws Malformed {
        ++at;
        if (++depth > DEEPEST) {
            throw malformed("less depth");
        }
    }

    private String string() throws Malformed {
        StringBuilder string = new StringBuilder();
        if (at >= text.length() || text.charAt(at) != '"') {
            throw malformed("a string");
        }
        for (++at; at < text.length(); ++at) {
            char c = text.charAt(at);
            if (c == '"') {
                ++at;
                return string.toString();
            }
            string.append(c == '\\' ? escaped() : c);
        }
        throw malformed("the end of a string");
    }

    /** Leaves the position at the last character. */
    private char escaped() throws Malformed {
        char c = ++at < text.length() ? text.charAt(at) : '\0';
        switch (c) {
            case '"':
            case '\\':
            case '/':
                return c;
            case 'b':
                return '\b';
            case 'f':
                return '\f';
            case 'n':
                return '\n';
            case 'r':
                return '\r';
            case 't':
                return '\t';
            case 'u':
                try {
                    char unit = (char) Integer.parseInt(text.substring(at + 1, at + 5), 16);
                    at += 4;
                    return unit;
                } catch (IndexOutOfBoundsException | NumberFormatException e) {
                    throw malformed("four hexadecimal digits");
                }
            default:
                throw malformed("an escaped character");
        }
    }

    private Object word(String word, Object value) throws Malformed {
        if (!text.startsWith(word, at)) {
            throw malformed(word);
        }
        at += word.length();
        return value;
    }

    private Object numberHere() throws Malformed {
        int begin = at;
        while (at < text.length() && "+-.0123456789eE".indexOf(text.charAt(at)) >= 0) {
            ++at;
        }
        String number = text.substring(begin, at);
        try {
            if (number.chars().anyMatch(c -> c == '.' || c == 'e' || c == 'E')) {
                return Double.valueOf(number);
            }
            return Long.valueOf(number);
        } catch (NumberFormatException e) {
            at = begin;
            throw malformed("a value");
        }
    }

    private boolean nextIs(char wanted) {
        skipSpace();
        if (at >= text.length() || text.charAt(at) != wanted) {
            return false;
        }
        ++at;
        return true;
    }

    private void expect(char wanted) throws Malformed {
        if (!nextIs(wanted)) {
            throw malformed("'" + wanted + "'");
        }
    }

    private void skipSpace() {
        while (at < text.length() && " \t\r\n".indexOf(text.charAt(at)) >= 0) {
            ++at;
        }
    }

    private Malformed malformed(String expected) {
        return new Malformed("not JSON: " + expected + " was expected at character " + at);
    }
}
