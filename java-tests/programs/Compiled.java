import java.math.BigDecimal;
import java.math.MathContext;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.text.MessageFormat;
import java.time.LocalDate;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ForkJoinPool;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.zip.Deflater;

/** With -Xcomp it has some 5,000 compiled methods: it uses much of the JDK once. Then it waits for the end of its input. */
public final class Compiled {
  private static int use() throws Exception {
    int sum = 0;
    sum += Pattern.compile("(?<word>[a-z]+)\\s*(\\d{1,3}|x*?)(?=;)", Pattern.CASE_INSENSITIVE).split("ab 12; cd x; ef 7;").length;
    sum += String.format(Locale.ROOT, "%08.3f %-12s %x %,d %tF", 3.25, "left", 255, 1_234_567, LocalDate.of(2024, 2, 29)).length();
    sum += MessageFormat.format("{0} of {1,number} on {2}", "a", 12, "b").length();
    sum += new BigDecimal("2").sqrt(new MathContext(60)).divide(new BigDecimal("7"), new MathContext(40)).toPlainString().length();
    sum += ZonedDateTime.parse("2024-03-31T01:30:00+01:00[Europe/Berlin]").plusMonths(7).format(DateTimeFormatter.RFC_1123_DATE_TIME).length();
    sum += MessageDigest.getInstance("SHA-256").digest("text".getBytes(StandardCharsets.UTF_16)).length;
    Map<Integer, List<String>> groups = IntStream.range(0, 500).parallel().mapToObj(Integer::toString).sorted()
        .collect(Collectors.groupingByConcurrent(String::length, ConcurrentHashMap::new, Collectors.toList()));
    sum += new TreeMap<>(groups).descendingMap().firstKey();
    sum += CompletableFuture.supplyAsync(() -> 7).thenCombine(CompletableFuture.completedFuture(8), Integer::sum).get();
    sum += ForkJoinPool.commonPool().submit(() -> 3).get();
    Deflater deflater = new Deflater();
    deflater.setInput(new byte[1000]);
    deflater.finish();
    sum += deflater.deflate(new byte[1000]) > 0 ? 1 : 0;
    deflater.end();
    List<String> words = new ArrayList<>(List.of("b", "a", "c"));
    words.sort(java.text.Collator.getInstance(Locale.GERMANY));
    sum += new java.util.Scanner("1 2,5 x").useLocale(Locale.FRANCE).nextInt();
    sum += java.net.URI.create("http://host:80/a/../b?c=d#e").normalize().getPath().length();
    sum += java.nio.file.Files.list(java.nio.file.Path.of("/")).mapToInt(path -> 1).sum() > 0 ? 1 : 0;
    sum += collections() + security() + objects();
    return sum;
  }

  private static int collections() {
    java.util.Properties properties = new java.util.Properties();
    properties.setProperty("key", "value");
    java.util.StringTokenizer tokens = new java.util.StringTokenizer("a b c");
    java.util.BitSet bits = new java.util.BitSet();
    bits.set(3, 70);
    java.util.PriorityQueue<String> queue = new java.util.PriorityQueue<>(List.of("z", "y"));
    return properties.stringPropertyNames().size() + tokens.countTokens() + bits.cardinality() + queue.poll().length();
  }

  private static int security() throws Exception {
    java.security.KeyPairGenerator generator = java.security.KeyPairGenerator.getInstance("EC");
    generator.initialize(256);
    java.security.KeyPair pair = generator.generateKeyPair();
    java.security.Signature signature = java.security.Signature.getInstance("SHA256withECDSA");
    signature.initSign(pair.getPrivate());
    signature.update(new byte[10]);
    byte[] signed = signature.sign();
    signature.initVerify(pair.getPublic());
    signature.update(new byte[10]);
    javax.crypto.Cipher cipher = javax.crypto.Cipher.getInstance("AES/GCM/NoPadding");
    cipher.init(javax.crypto.Cipher.ENCRYPT_MODE, new javax.crypto.spec.SecretKeySpec(new byte[16], "AES"));
    return (signature.verify(signed) ? 1 : 0) + cipher.doFinal(new byte[20]).length
        + javax.net.ssl.SSLContext.getDefault().getDefaultSSLParameters().getCipherSuites().length;
  }

  private static int objects() throws Exception {
    java.io.ByteArrayOutputStream bytes = new java.io.ByteArrayOutputStream();
    try (java.io.ObjectOutputStream out = new java.io.ObjectOutputStream(bytes)) {
      out.writeObject(new java.util.HashMap<>(Map.of("a", List.of(1, 2), "b", List.of(LocalDate.EPOCH))));
    }
    Object read = new java.io.ObjectInputStream(new java.io.ByteArrayInputStream(bytes.toByteArray())).readObject();
    Runnable proxy = (Runnable) java.lang.reflect.Proxy.newProxyInstance(Compiled.class.getClassLoader(),
        new Class<?>[] {Runnable.class}, (self, method, arguments) -> null);
    proxy.run();
    int modules = java.lang.module.ModuleFinder.ofSystem().findAll().size();
    return ((Map<?, ?>) read).size() + (modules > 0 ? 1 : 0);
  }

  public static void main(String[] args) throws Exception {
    System.out.println("sum " + use());
    System.out.println("ready");
    while (System.in.read() >= 0) {
      continue;
    }
  }
}
