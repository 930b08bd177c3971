package shop;

import java.util.List;
import org.springframework.boot.CommandLineRunner;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

@Service
public class Catalogue implements CommandLineRunner {
    static final int ITEMS = 50;

    private final Items items;

    Catalogue(Items items) {
        this.items = items;
    }

    @Override
    @Transactional
    public void run(String... arguments) {
        for (long i = 1; i <= ITEMS; ++i) items.save(new Item(i, "item " + i * 7919 % 1000, i * 37 % 100));
    }

    /**
     * At most six offers are created and two thirds of them shown, so that calls of constructors and accessors are 3
     * : 2.
     */
    @Transactional(readOnly = true)
    public List<Offer> offers(long price) {
        var offers = items.findByPriceLessThanOrderByName(price).stream().limit(6)
                .map(item -> new Offer(item.getName(), item.getPrice())).toList();
        return offers.subList(0, offers.size() * 2 / 3);
    }

    @Transactional
    public Item order(long id, long pieces) {
        Item item = items.findById(id).orElseThrow();
        item.order(pieces);
        return item;
    }

    @Transactional(readOnly = true)
    public Item item(long id) {
        return items.findById(id).orElseThrow();
    }
}
