package com.acme.shop;

/** Something to buy, with its price in cents. */
public record Product(String name, long price) {}
