package com.acme.shop;

import java.util.LinkedHashMap;
import java.util.Map;

/** What a customer wants to buy. */
public final class Basket {
    private final Map<Product, Integer> pieces = new LinkedHashMap<>();

    public void add(Product product, int count) {
        if (count <= 0) throw new IllegalArgumentException("count " + count);
        pieces.merge(product, count, Integer::sum);
    }

    /** In cents. From ten pieces of a product on, it costs a tenth less. */
    public long total() {
        long total = 0;
        for (Map.Entry<Product, Integer> each : pieces.entrySet()) {
            long price = each.getKey().price() * each.getValue();
            total += each.getValue() >= 10 ? price - price / 10 : price;
        }
        return total;
    }
}
