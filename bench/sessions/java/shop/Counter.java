package shop;

import java.util.List;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** The web interface. */
@RestController
class Counter {
    private final Catalogue catalogue;

    Counter(Catalogue catalogue) {
        this.catalogue = catalogue;
    }

    @GetMapping("/offers")
    List<Offer> offers(@RequestParam("price") long price) {
        return catalogue.offers(price);
    }

    @PostMapping("/orders/{id}")
    Item order(@PathVariable("id") long id, @RequestParam("pieces") long pieces) {
        return catalogue.order(id, pieces);
    }

    @GetMapping("/items/{id}")
    Item item(@PathVariable("id") long id) {
        return catalogue.item(id);
    }
}
