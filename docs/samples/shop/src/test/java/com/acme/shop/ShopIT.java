package com.acme.shop;

import static org.junit.Assert.assertEquals;

import org.junit.Test;

/** An integration test: Failsafe runs it, after the unit tests. */
public class ShopIT {
    @Test
    public void aHundredBaskets() {
        assertEquals(10 * 39051 + 90 * 4339, Shop.sell(100));
    }
}
