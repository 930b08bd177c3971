package shop;

import java.util.concurrent.atomic.AtomicLong;

/** The data of an item that customers see. It counts the calls of its constructor and accessors. */
public final class Offer {
    private static final AtomicLong MADE = new AtomicLong();
    private static final AtomicLong NAME_READ = new AtomicLong();
    private static final AtomicLong PRICE_READ = new AtomicLong();

    private final String name;
    private final long price;

    Offer(String name, long price) {
        this.name = name;
        this.price = price;
        MADE.incrementAndGet();
    }

    public String getName() {
        NAME_READ.incrementAndGet();
        return name;
    }

    public long getPrice() {
        PRICE_READ.incrementAndGet();
        return price;
    }

    static String counts() {
        return MADE + " " + NAME_READ + " " + PRICE_READ;
    }
}
