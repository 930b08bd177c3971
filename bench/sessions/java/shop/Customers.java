package shop;

import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/** Threads that send requests as fast as they are answered. */
final class Customers {
    private final int port;
    private final List<Thread> threads = new ArrayList<>();
    private final AtomicLong answers = new AtomicLong();
    private volatile boolean leaving;
    private volatile IOException failure;

    Customers(int port, int count) {
        this.port = port;
        for (int i = 0; i < count; ++i) {
            int number = i;
            threads.add(new Thread(() -> shop(number), "customer-" + number));
        }
    }

    void start() {
        threads.forEach(Thread::start);
    }

    void stop() throws InterruptedException {
        leaving = true;
        for (Thread thread : threads) thread.join();
        if (failure != null) throw new IllegalStateException(failure);
    }

    void awaitAnswers(long wanted) throws InterruptedException {
        while (answers.get() < wanted) {
            if (failure != null) throw new IllegalStateException(failure);
            Thread.sleep(10);
        }
    }

    long answers() {
        return answers.get();
    }

    private void shop(int number) {
        try {
            for (int i = number; !leaving; ++i) {
                send("GET", "/offers?price=" + i % 100);
                send("POST", "/orders/" + (1 + i % Catalogue.ITEMS) + "?pieces=" + (1 + i % 5));
                send("GET", "/items/" + (1 + i % Catalogue.ITEMS));
            }
        } catch (IOException problem) {
            failure = problem;
        }
    }

    private void send(String method, String path) throws IOException {
        var request = (HttpURLConnection) URI.create("http://localhost:" + port + path).toURL().openConnection();
        request.setRequestMethod(method);
        if (request.getResponseCode() != HttpURLConnection.HTTP_OK) {
            throw new IOException(path + ": " + request.getResponseCode());
        }
        try (var body = request.getInputStream()) {
            body.readAllBytes();
        }
        answers.incrementAndGet();
    }
}
