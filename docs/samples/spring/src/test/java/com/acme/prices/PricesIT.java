package com.acme.prices;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;

import org.junit.jupiter.api.Test;

/** The load: what the service does in production, as far as a test can tell. */
class PricesIT {
    private static final int REQUESTS = 2000;

    private final HttpClient client = HttpClient.newHttpClient();

    @Test
    void manyRequests() throws Exception {
        for (int i = 0; i < REQUESTS; i++) {
            int count = 1 + i % 20;
            int full = 499 * count;
            assertEquals(Integer.toString(count < 10 ? full : full - full / 10), get(count));
        }
    }

    private String get(int count) throws Exception {
        URI address = URI.create("http://localhost:" + System.getProperty("service.port") + "/price?count=" + count);
        return client.send(HttpRequest.newBuilder(address).build(), BodyHandlers.ofString()).body();
    }
}
