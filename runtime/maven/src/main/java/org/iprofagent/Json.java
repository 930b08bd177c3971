package org.iprofagent;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Reads JSON of the agent: objects as {@link Map}, arrays as {@link List}, texts, whole numbers as {@link Long}, others as
 * {@link Double}.
 *
 * <p>Why not a library: this jar goes onto the class path of other people's programs, so it brings none.
 *
 * <p>Failure: IllegalArgumentException that names the position.
 */
final class Json {
    private static final int MOST_LEVELS = 32;

    private final String text;
    private int at;
    private int level;

    Json(String text) {
        this.text = text;
    }

    /** The whole text as one value. */
    Object document() {
        Object value = value();
        skipBlanks();
        if (at != text.length()) throw bad("something follows the end");
        return value;
    }

    /** The members of an object, without those that are null; none if it is another value. */
    static Map<String, Object> members(Object value) {
        Map<String, Object> members = new LinkedHashMap<>();
        if (value instanceof Map<?, ?> object) {
            object.forEach((name, member) -> {
                if (member != null) members.put((String) name, member);
            });
        }
        return members;
    }

    private Object value() {
        skipBlanks();
        switch (peek()) {
            case '{':
                return object();
            case '[':
                return array();
            case '"':
                return string();
            case 't':
                return word("true", Boolean.TRUE);
            case 'f':
                return word("false", Boolean.FALSE);
            case 'n':
                return word("null", null);
            default:
                return number();
        }
    }

    private Map<String, Object> object() {
        Map<String, Object> members = new LinkedHashMap<>();
        enter();
        if (!endsWith('}')) {
            do {
                skipBlanks();
                String name = string();
                skipBlanks();
                expect(':');
                members.put(name, value());
            } while (hasMore('}'));
        }
        level--;
        return members;
    }

    private List<Object> array() {
        List<Object> elements = new ArrayList<>();
        enter();
        if (!endsWith(']')) {
            do {
                elements.add(value());
            } while (hasMore(']'));
        }
        level--;
        return elements;
    }

    private void enter() {
        at++;
        if (++level > MOST_LEVELS) throw bad("too many levels");
    }

    private boolean endsWith(char end) {
        skipBlanks();
        if (peek() != end) return false;
        at++;
        return true;
    }

    /** After a member or element: whether another one follows. */
    private boolean hasMore(char end) {
        if (endsWith(end)) return false;
        expect(',');
        return true;
    }

    private String string() {
        expect('"');
        StringBuilder out = new StringBuilder();
        while (peek() != '"') {
            char next = text.charAt(at++);
            out.append(next == '\\' ? escape() : next);
        }
        at++;
        return out.toString();
    }

    private char escape() {
        char kind = peek();
        at++;
        int plain = "\"\\/bfnrt".indexOf(kind);
        if (plain >= 0) return "\"\\/\b\f\n\r\t".charAt(plain);
        if (kind != 'u' || at + 4 > text.length()) throw bad("an unknown escape");
        int code = 0;
        for (int end = at + 4; at < end; at++) {
            int digit = Character.digit(text.charAt(at), 16);
            if (digit < 0) throw bad("an unknown escape");
            code = 16 * code + digit;
        }
        return (char) code;
    }

    private Number number() {
        int begin = at;
        while (at < text.length() && "+-.0123456789eE".indexOf(text.charAt(at)) >= 0) at++;
        String number = text.substring(begin, at);
        try {
            if (number.chars().anyMatch(digit -> ".eE".indexOf(digit) >= 0)) return Double.valueOf(number);
            return Long.valueOf(number);
        } catch (NumberFormatException none) {
            at = begin;
            throw bad("no value");
        }
    }

    private Object word(String word, Object value) {
        if (!text.startsWith(word, at)) throw bad("no value");
        at += word.length();
        return value;
    }

    private void skipBlanks() {
        while (at < text.length() && " \t\r\n".indexOf(text.charAt(at)) >= 0) at++;
    }

    private char peek() {
        if (at >= text.length()) throw bad("it ends too soon");
        return text.charAt(at);
    }

    private void expect(char wanted) {
        if (peek() != wanted) throw bad("no '" + wanted + "'");
        at++;
    }

    private IllegalArgumentException bad(String what) {
        return new IllegalArgumentException(what + " at position " + at);
    }
}
