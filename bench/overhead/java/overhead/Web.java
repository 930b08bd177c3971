package overhead;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * The JDK's HTTP server on loopback, with a thread for each exchange (a virtual one if the JVM has them, otherwise one
 * of a pool). The JDK's HTTP client in the same process sends a fixed number of requests from a fixed number of
 * threads; each waits for its answer before the next request. A request is parsed, looked up, and answered with a
 * small page.
 */
final class Web implements Workload {
  private static final int CLIENTS = 4;
  private static final int REQUESTS_A_CLIENT = 100;

  private final Map<String, List<String>> catalogue = new TreeMap<>();
  private final ExecutorService handlers = handlers();
  private final ExecutorService clients = Executors.newFixedThreadPool(CLIENTS, Web::daemon);
  private final ExecutorService callbacks = Executors.newFixedThreadPool(2, Web::daemon);
  private final HttpClient client =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).executor(callbacks).build();
  private final HttpServer server;

  Web() {
    for (int i = 0; i < 50; i++) {
      List<String> items = new ArrayList<>();
      for (int k = 0; k <= i % 20; k++) items.add("item " + i * 37 % 101 + " & " + k);
      catalogue.put("shelf" + i, items);
    }
    try {
      // Headers and body are written separately: without this, each answer waits for the client's delayed
      // acknowledgement.
      System.setProperty("sun.net.httpserver.nodelay", "true");
      server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), CLIENTS);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    server.createContext("/shelf", this::answer);
    server.setExecutor(handlers);
    server.start();
  }

  private static ExecutorService handlers() {
    try {
      return (ExecutorService) Executors.class.getMethod("newVirtualThreadPerTaskExecutor").invoke(null);
    } catch (ReflectiveOperationException older) {
      return Executors.newFixedThreadPool(CLIENTS, Web::daemon);
    }
  }

  private static Thread daemon(Runnable runnable) {
    Thread thread = new Thread(runnable);
    thread.setDaemon(true);
    return thread;
  }

  private static Map<String, String> parameters(String query) {
    Map<String, String> parsed = new TreeMap<>();
    for (String pair : query.split("&")) {
      int equals = pair.indexOf('=');
      parsed.put(pair.substring(0, equals), java.net.URLDecoder.decode(pair.substring(equals + 1), StandardCharsets.UTF_8));
    }
    return parsed;
  }

  private static String escaped(String text) {
    StringBuilder out = new StringBuilder();
    for (char c : text.toCharArray()) {
      if (c == '&') out.append("&amp;");
      else if (c == '<') out.append("&lt;");
      else out.append(c);
    }
    return out.toString();
  }

  private void answer(HttpExchange exchange) throws IOException {
    Map<String, String> parameters = parameters(exchange.getRequestURI().getRawQuery());
    StringBuilder page = new StringBuilder("<html><h1>").append(escaped(parameters.get("title"))).append("</h1><ul>");
    for (String item : catalogue.getOrDefault(parameters.get("name"), List.of())) {
      page.append("<li>").append(escaped(item)).append("</li>");
    }
    byte[] body = page.append("</ul></html>").toString().getBytes(StandardCharsets.UTF_8);
    exchange.getResponseHeaders().set("Content-Type", "text/html; charset=utf-8");
    exchange.sendResponseHeaders(200, body.length);
    exchange.getResponseBody().write(body);
    exchange.close();
  }

  private long ask(int number) throws IOException, InterruptedException {
    URI uri = URI.create("http://" + server.getAddress().getAddress().getHostAddress() + ":" + server.getAddress().getPort()
        + "/shelf?name=shelf" + number % 60 + "&title=all+of+%3C" + number % 7 + "%3E");
    HttpResponse<String> response =
        client.send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString());
    if (response.statusCode() != 200) throw new IOException("status " + response.statusCode());
    return response.body().hashCode();
  }

  @Override
  public long run() throws Exception {
    List<Future<Long>> loads = new ArrayList<>();
    for (int i = 0; i < CLIENTS; i++) {
      int first = i * REQUESTS_A_CLIENT;
      loads.add(clients.submit(() -> {
        long sum = 0;
        for (int k = first; k < first + REQUESTS_A_CLIENT; k++) sum += ask(k);
        return sum;
      }));
    }
    long sum = 0;
    for (Future<Long> load : loads) sum += load.get();
    return sum;
  }

  @Override
  public void close() {
    server.stop(0);
    clients.shutdown();
    callbacks.shutdown();
    handlers.shutdown();
  }
}
