package com.acme.shop;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertThrows;

import org.junit.Test;

public class BasketTest {
    private final Basket basket = new Basket();

    @Test
    public void aBasketCostsWhatItsProductsCost() {
        basket.add(new Product("tea", 499), 2);
        assertEquals(998, basket.total());
    }

    @Test
    public void tenPiecesCostLess() {
        basket.add(new Product("tea", 500), 10);
        assertEquals(4500, basket.total());
    }

    @Test
    public void nothingCannotBeAdded() {
        assertThrows(IllegalArgumentException.class, () -> basket.add(new Product("tea", 499), 0));
    }
}
