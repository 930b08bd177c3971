package com.acme.shop;

import java.util.List;

/** A program under load: sells as many baskets as its argument says, one of ten with a discount. */
public final class Shop {
    private static final List<Product> PRODUCTS = List.of(new Product("tea", 499), new Product("cup", 850), new Product("pot", 2990));

    private Shop() {}

    public static void main(String[] arguments) {
        System.out.println("sold for " + sell(arguments.length == 0 ? 1000 : Integer.parseInt(arguments[0])) + " cents");
    }

    static long sell(int baskets) {
        long sum = 0;
        for (int i = 0; i < baskets; i++) {
            Basket basket = new Basket();
            for (Product product : PRODUCTS) basket.add(product, i % 10 == 0 ? 10 : 1);
            sum += basket.total();
        }
        return sum;
    }
}
