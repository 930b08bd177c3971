import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * As servers are: a long start-up, then a mix of requests, by two threads. For each line "N" of its input it
 * serves N requests and prints "served N". A line "N sale" is the same with other prices: most go through the branch that few
 * went through before.
 */
public class Server {
    static final int GOODS = 3000;
    static final Pattern REQUEST = Pattern.compile("GET /(\\w+)/(\\d+)(\\?top=(\\d+))?");

    interface Handler {
        String answer(Matcher request);
    }

    record Item(int number, String name, int price) {
    }

    static final Map<Integer, Item> GOODS_BY_NUMBER = new HashMap<>();
    static final Map<String, Handler> HANDLERS = new HashMap<>();
    static volatile boolean sale;
    static long bytes;

    /** Reads a catalogue: work that does not come again. */
    static void load() {
        StringBuilder text = new StringBuilder();
        for (int n = 0; n < GOODS; n++) {
            text.append(n).append(';').append("item ").append(Integer.toString(n * 7919, 36)).append(';').append(n * 37 % 1000).append('\n');
        }
        for (String line : text.toString().split("\n")) {
            String[] parts = line.split(";");
            Item item = new Item(Integer.parseInt(parts[0]), parts[1].trim(), Integer.parseInt(parts[2]));
            GOODS_BY_NUMBER.put(item.number(), item);
        }
        HANDLERS.put("show", Server::show);
        HANDLERS.put("cart", Server::cart);
        HANDLERS.put("cheapest", Server::cheapest);
    }

    static int toPay(Item item, int count) {
        int limit = sale ? 100 : 900;
        if (item.price() * count % 1000 >= limit) {
            return item.price() * count * 9 / 10;
        }
        return item.price() * count;
    }

    static String show(Matcher request) {
        Item item = GOODS_BY_NUMBER.get(Integer.parseInt(request.group(2)) % GOODS);
        return "<h1>" + item.name().toUpperCase() + "</h1>" + toPay(item, 1);
    }

    static String cart(Matcher request) {
        int first = Integer.parseInt(request.group(2));
        List<Item> items = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            items.add(GOODS_BY_NUMBER.get((first + 31 * i) % GOODS));
        }
        int sum = 0;
        for (Item item : items) {
            sum += toPay(item, 2);
        }
        return "sum " + sum;
    }

    static String cheapest(Matcher request) {
        int first = Integer.parseInt(request.group(2));
        int top = request.group(4) == null ? 3 : Integer.parseInt(request.group(4));
        List<Item> some = new ArrayList<>();
        for (int i = 0; i < 60; i++) {
            some.add(GOODS_BY_NUMBER.get((first * 13 + i) % GOODS));
        }
        Collections.sort(some, (a, b) -> Integer.compare(a.price(), b.price()));
        return some.stream().limit(top).map(Item::name).collect(Collectors.joining(", "));
    }

    static void serve(String line) {
        Matcher request = REQUEST.matcher(line);
        if (!request.matches()) {
            throw new IllegalArgumentException(line);
        }
        int length = HANDLERS.get(request.group(1)).answer(request).getBytes(StandardCharsets.UTF_8).length;
        synchronized (HANDLERS) {
            bytes += length;
        }
    }

    /** Of 20 requests in a row, 13 show, 6 ask for a cart, and 1 for the cheapest. */
    static String request(int i, Random chance) {
        int kind = i * 7 % 20;
        int number = chance.nextInt(GOODS);
        return kind < 13 ? "GET /show/" + number : kind < 19 ? "GET /cart/" + number : "GET /cheapest/" + number + "?top=" + (1 + number % 9);
    }

    static void serveMany(int requests) {
        Random chance = new Random(requests);  // the same requests in every run
        for (int i = 0; i < requests; i++) {
            serve(request(i % 20, chance));
        }
    }

    public static void main(String[] args) throws Exception {
        load();
        ExecutorService threads = Executors.newFixedThreadPool(2);
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        System.out.println("ready");
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            String[] words = line.split(" ");
            int requests = Integer.parseInt(words[0]);
            sale = words.length > 1;
            Future<?> half = threads.submit(() -> serveMany(requests / 2));
            serveMany(requests - requests / 2);
            half.get();
            System.out.println("served " + requests);
        }
        threads.shutdown();
    }
}
