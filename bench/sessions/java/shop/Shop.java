package shop;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.web.servlet.context.ServletWebServerApplicationContext;

/**
 * A web shop on Spring Boot, Hibernate, H2 and Tomcat that sends requests to itself until it is told to stop.
 *
 * It prints "ready" when all threads have received answers, and then a line for each line on its standard input:
 * "counts" prints how often it created an Offer and read its fields (see Offer), and how many requests it answered;
 * "stop" ends it.
 */
@SpringBootApplication
public class Shop {
    private static final int WARM_UP_REQUESTS = 300;

    public static void main(String[] args) throws IOException, InterruptedException {
        int threads = Integer.parseInt(args[0]);
        var context = (ServletWebServerApplicationContext) SpringApplication.run(Shop.class,
                "--server.port=0", "--spring.main.banner-mode=off", "--logging.level.root=warn",
                "--spring.jpa.open-in-view=false", "--spring.jpa.hibernate.ddl-auto=create-drop");
        var customers = new Customers(context.getWebServer().getPort(), threads);
        customers.start();
        customers.awaitAnswers(WARM_UP_REQUESTS);
        System.out.println("ready " + ManagementFactory.getClassLoadingMXBean().getLoadedClassCount());
        var commands = new BufferedReader(new InputStreamReader(System.in));
        for (String line = commands.readLine(); line != null && !line.equals("stop"); line = commands.readLine()) {
            System.out.println("counts " + Offer.counts() + " " + customers.answers());
        }
        customers.stop();
        System.out.println("counts " + Offer.counts() + " " + customers.answers());
        context.close();
    }
}
