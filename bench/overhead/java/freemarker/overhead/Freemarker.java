package overhead;

import freemarker.cache.StringTemplateLoader;
import freemarker.template.Configuration;
import freemarker.template.Template;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.TimeZone;

/** FreeMarker: pages of a shop made from templates with macros, loops, conditions, formatting and escaping. */
final class Freemarker implements Workload {
  private static final int PAGES = 100;

  private static final String MACROS = "<#macro page title><html><head><title>${title}</title></head><body>"
      + "<h1>${title?upper_case}</h1><#nested></body></html></#macro>\n"
      + "<#macro price cents><span class=\"price\">${(cents / 100)?string('0.00')} EUR</span></#macro>\n"
      + "<#function stars rating><#local text = ''><#list 1..5 as i><#local text = text + (i <= rating)?then('*', '.')></#list>"
      + "<#return text></#function>\n";

  private static final String SHELF = "<#import 'macros' as m><@m.page title='Shelf ' + shelf.name>\n"
      + "<#assign total = 0>\n"
      + "<table><#list shelf.items?sort_by('name') as item>\n"
      + "<tr class=\"${item?item_parity}\"><td>${item?counter}</td><td>${item.name?cap_first}</td>"
      + "<td><#if (item.stock > 20)>plenty<#elseif (item.stock > 0)>${item.stock} left<#else><b>sold out</b></#if></td>"
      + "<td><@m.price cents=item.cents/></td><td>${m.stars(item.rating)}</td>"
      + "<td><#list item.tags as tag><a href=\"/tag/${tag?url('UTF-8')}\">${tag}</a><#sep>, </#list></td></tr>\n"
      + "<#assign total += item.cents * item.stock></#list></table>\n"
      + "<p>${shelf.items?filter(i -> i.stock == 0)?size} sold out; worth <@m.price cents=total/></p>\n"
      + "<#switch shelf.items?size % 3><#case 0><p>A</p><#break><#case 1><p>B</p><#break><#default><p>C</p></#switch>\n"
      + "</@m.page>\n";

  /** What a template sees: FreeMarker calls the getters by reflection. */
  public static final class Shelf {
    private final String name;
    private final List<Item> items = new ArrayList<>();

    Shelf(String name) { this.name = name; }

    public String getName() { return name; }
    public List<Item> getItems() { return items; }
  }

  public static final class Item {
    private final String name;
    private final int stock;
    private final int cents;
    private final int rating;
    private final List<String> tags;

    Item(Random random, int number) {
      name = "item <" + random.nextInt(1000) + "> & \"" + number + "\"";
      stock = Math.max(0, random.nextInt(60) - 15);
      cents = 100 + random.nextInt(100_000);
      rating = random.nextInt(6);
      tags = List.of("new", "tag " + random.nextInt(9), "a/b?" + random.nextInt(50)).subList(0, 1 + random.nextInt(3));
    }

    public String getName() { return name; }
    public int getStock() { return stock; }
    public int getCents() { return cents; }
    public int getRating() { return rating; }
    public List<String> getTags() { return tags; }
  }

  private final Template template;
  private final List<Shelf> shelves = new ArrayList<>();

  Freemarker() throws Exception {
    StringTemplateLoader loader = new StringTemplateLoader();
    loader.putTemplate("macros", MACROS);
    loader.putTemplate("shelf.ftlh", SHELF);
    Configuration configuration = new Configuration(Configuration.VERSION_2_3_32);
    configuration.setTemplateLoader(loader);
    configuration.setRecognizeStandardFileExtensions(true);
    configuration.setLocale(Locale.ROOT);
    configuration.setTimeZone(TimeZone.getTimeZone("UTC"));
    template = configuration.getTemplate("shelf.ftlh");
    Random random = new Random(13);
    for (int page = 0; page < PAGES; page++) {
      Shelf shelf = new Shelf("no. " + page);
      for (int i = 0; i < 30 + page % 12; i++) shelf.items.add(new Item(random, i));
      shelves.add(shelf);
    }
  }

  @Override
  public long run() throws Exception {
    long sum = 0;
    for (Shelf shelf : shelves) {
      StringWriter page = new StringWriter();
      template.process(Map.of("shelf", shelf), page);
      sum = 31 * sum + page.toString().hashCode();
    }
    return sum;
  }
}
