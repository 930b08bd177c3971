// Ends in the way that its argument says.
public class Ends {
    public static void main(String[] args) throws Exception {
        switch (args[0]) {
            case "return":
                break;
            case "exit":
                System.exit(3);
                break;
            case "halt":
                Runtime.getRuntime().halt(4);
                break;
            case "throw":
                throw new IllegalStateException("as asked");
            case "load":  // classes and lambdas, before and after an input line
                System.out.println("ready");
                System.in.read();
                for (String name : new String[] {"java.util.Formatter", "java.text.DecimalFormat", "Dumps", "Fib"}) {
                    Class.forName(name);
                }
                System.gc();
                System.out.println(java.util.stream.Stream.of("do", "ne").map(s -> s + "").reduce("", String::concat));
                break;
            case "wait":  // for an input line
                System.out.println("ready");
                System.in.read();
                System.out.println("done");
                break;
            default:
                throw new IllegalArgumentException(args[0]);
        }
    }
}
