package shop;

import java.util.List;
import org.springframework.data.jpa.repository.JpaRepository;

interface Items extends JpaRepository<Item, Long> {
    List<Item> findByPriceLessThanOrderByName(long price);
}
