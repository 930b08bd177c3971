package com.acme.prices;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** A service that answers what some pieces cost, in cents: from ten pieces on a tenth less. */
@SpringBootApplication
@RestController
public class Prices {
    private static final long PIECE = 499;

    public static void main(String[] arguments) {
        SpringApplication.run(Prices.class, arguments);
    }

    @GetMapping("/price")
    public long price(@RequestParam("count") int count) {
        return total(count);
    }

    static long total(int count) {
        long price = PIECE * count;
        return count >= 10 ? price - price / 10 : price;
    }
}
