package com.acme.shop;

/** Something to buy. */
public final class Product {
    private final String name;
    private final long price;

    /** The price is in cents. */
    public Product(String name, long price) {
        this.name = name;
        this.price = price;
    }

    public long price() {
        return price;
    }

    @Override
    public String toString() {
        return name;
    }
}
