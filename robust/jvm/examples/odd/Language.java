package odd;

import interloper.robust.Driver;
import interloper.robust.Tasks;
import java.util.AbstractList;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Programs that use what the language has: each must be understood, and its verdict is known. */
public class Language {
    int count;
    int other;
    String text = "two";

    /** Constants with state: each run needs classes of its own. */
    enum Mode {
        IDLE {
            @Override
            int weight() {
                return 1;
            }
        },
        BUSY {
            @Override
            int weight() {
                return 2;
            }
        };

        int hits;

        abstract int weight();
    }

    enum Colour { RED, GREEN, BLUE }

    record Point(int x, int y) {
        Point {
            if (x < 0) {
                throw new IllegalArgumentException("left of everything");
            }
        }
    }

    interface Shape {
        int area();

        default String describe() {
            return "area " + area();
        }
    }

    static class Square implements Shape {
        private int side = 3;

        @Override
        public int area() {
            return side * side;
        }
    }

    /** A list of the application's own. */
    static class Numbers extends AbstractList<Integer> {
        private final int[] values = {1, 2, 3};

        @Override
        public Integer get(int index) {
            return values[index];
        }

        @Override
        public Integer set(int index, Integer value) {
            int old = values[index];
            values[index] = value;
            return old;
        }

        @Override
        public int size() {
            return values.length;
        }
    }

    /** Is initialised when it is first used, in a task. */
    static class Registry {
        static final List<String> NAMES = new ArrayList<>();
        static int uses;

        static {
            NAMES.add("first");
        }

        static void use() {
            uses++;
            NAMES.add("next");
        }
    }

    static class Broken {
        static int value = Objects.requireNonNull((Integer) null);
    }

    static class Resource implements AutoCloseable {
        static int open;

        Resource() {
            open++;
        }

        @Override
        public void close() {
            open--;
        }
    }

    private static int sum(int... values) {
        int total = 0;
        for (int value : values) {
            total += value;
        }
        return total;
    }

    private int tricky(int k) {
        try {
            if (k == 0) {
                return count;
            }
            count += k;
            throw new IllegalStateException();
        } catch (Throwable caught) {
            other++;
            return -1;
        } finally {
            other += 2;
        }
    }

    /** Two tasks change the state of a constant. */
    public static class EnumState {
        public static void main(Driver driver) {
            driver.event("a", () -> {
                Tasks.any(() -> Mode.IDLE.hits++);
                Tasks.any(() -> Mode.IDLE.hits += Mode.BUSY.weight());
            });
        }
    }

    /** Handlers that switch, on constants and on strings. */
    public static class Switches {
        public static void main(Driver driver) {
            Language all = new Language();
            Colour[] colour = {Colour.RED};
            driver.event("colour", () -> {
                switch (colour[0]) {
                    case RED -> all.count = 1;
                    case GREEN -> all.count = 2;
                    default -> all.count = 3;
                }
                colour[0] = Colour.values()[(colour[0].ordinal() + 1) % 3];
                Map<Colour, Integer> known = new EnumMap<>(Colour.class);
                known.put(Colour.valueOf("BLUE"), sum(1, all.count, 3) + sum());
                all.other = known.get(Colour.BLUE);
            });
            driver.event("text", () -> {
                switch (all.text) {
                    case "one" -> all.other = 1;
                    case "two" -> all.other = 2;
                    default -> all.text = "none";
                }
            });
        }
    }

    /** A string that a task posted to the main thread changes once more. */
    public static class SwitchedTwice {
        public static void main(Driver driver) {
            Language all = new Language();
            driver.event("switch", () -> all.count = "two".equals(all.text) ? 2 : 3);
            driver.event("change", () -> {
                all.text = "one";
                Tasks.main(() -> all.text = "three");
            });
        }
    }

    /** Records, default methods, lambdas that capture, and streams, in handlers only. */
    public static class Handlers {
        public static void main(Driver driver) {
            Language all = new Language();
            List<Point> points = new ArrayList<>(List.of(new Point(1, 2), new Point(3, 4)));
            Square square = new Square();
            int[] captured = {5};
            Function<Integer, Function<Integer, Integer>> add = x -> y -> x + y + captured[0];
            driver.event("move", () -> points.replaceAll(p -> new Point(p.x() + captured[0], p.y())));
            driver.event("measure", () -> {
                all.count = points.stream().mapToInt(Point::x).sum() + add.apply(1).apply(square.area());
                Map<Boolean, List<Point>> halves = points.stream().collect(Collectors.partitioningBy(p -> p.y() > 2));
                all.text = square.describe() + halves.get(true).size() + points.get(0);
            });
            driver.event("grow", () -> {
                square.side++;
                captured[0] *= 2;
                try {
                    points.add(new Point(-1, 0));
                } catch (IllegalArgumentException refused) {
                    all.text = refused.getMessage();
                }
            });
        }
    }

    /** An iterator in the background, and a list that changes. */
    public static class Iterates {
        public static void main(Driver driver) {
            Language all = new Language();
            List<Integer> list = new ArrayList<>(List.of(3, 1, 2));
            driver.event("sum", () -> Tasks.any(() -> {
                for (int value : list) {
                    all.count += value;
                }
            }));
            driver.event("remove", () -> {
                for (Iterator<Integer> each = list.iterator(); each.hasNext();) {
                    if (each.next() == 1) {
                        each.remove();
                    }
                }
            });
        }
    }

    /** A list of the application's own in the background. */
    public static class OwnList {
        public static void main(Driver driver) {
            Language all = new Language();
            Numbers numbers = new Numbers();
            driver.event("sum", () -> Tasks.any(() -> {
                for (int value : numbers) {
                    all.count += value;
                }
            }));
            driver.event("set", () -> {
                numbers.set(0, 5);
                numbers.set(2, 6);
            });
        }
    }

    /** Elements of elements, of every kind, that two tasks share or do not share. */
    public static class Arrays {
        public static void main(Driver driver) {
            int[][][] cube = new int[2][2][2];
            long[] longs = new long[2];
            double[] doubles = new double[2];
            byte[] bytes = new byte[2];
            for (int i = 0; i < 2; i++) {
                int me = i;
                driver.event("e" + i, () -> Tasks.any(() -> {
                    cube[me][1][0]++;
                    longs[me] += 3;
                    doubles[me] *= 2;
                    bytes[me]++;
                }));
            }
        }
    }

    /** A class that a task initialises. */
    public static class Initialises {
        public static void main(Driver driver) {
            driver.event("a", () -> Tasks.any(Registry::use));
            driver.event("b", () -> Tasks.any(Registry::use));
        }
    }

    /** A class whose initialiser fails, in every run. */
    public static class FailsToInitialise {
        public static void main(Driver driver) {
            Language all = new Language();
            driver.event("a", () -> {
                all.count = 3;
                Tasks.any(() -> all.other = all.count);
            });
            driver.event("b", () -> {
                try {
                    all.other = Broken.value;
                } catch (LinkageError failed) {
                    all.count++;
                }
            });
        }
    }

    /** A class whose initialiser reads what tasks change. */
    public static class ReadsWhenInitialised {
        static class Copy {
            static int seen = Registry.uses;
        }

        public static void main(Driver driver) {
            Language all = new Language();
            driver.event("a", () -> {
                Registry.uses = 5;
                Tasks.any(() -> all.count = Copy.seen);
            });
            driver.event("b", () -> Registry.uses = 7);
        }
    }

    /** Returns, failures and resources in the background. */
    public static class Finally {
        public static void main(Driver driver) {
            Language all = new Language();
            driver.event("a", () -> Tasks.any(() -> all.tricky(2)));
            driver.event("b", () -> all.tricky(0));
        }
    }

    /** Resources that a task closes. */
    public static class Closes {
        public static void main(Driver driver) {
            Language all = new Language();
            driver.event("use", () -> Tasks.any(() -> {
                try (Resource one = new Resource(); Resource two = new Resource()) {
                    all.count += Objects.hash(one == null, two == null);
                }
            }));
            driver.event("ask", () -> all.other = Resource.open);
        }
    }

    /** Monitors inside each other, entered twice, and left by a failure. */
    public static class Nested {
        public static void main(Driver driver) {
            Language all = new Language();
            Object inner = new Object();
            driver.event("a", () -> Tasks.any(() -> {
                try {
                    synchronized (all) {
                        synchronized (inner) {
                            all.count++;
                            throw new IllegalStateException();
                        }
                    }
                } catch (IllegalStateException left) {
                    return;
                }
            }));
            driver.event("b", () -> Tasks.any(() -> {
                synchronized (all) {
                    synchronized (all) {
                        all.count = all.count * 2;
                    }
                }
            }));
        }
    }

    /** Data that tasks choose: one combination violates. */
    public static class TasksChoose {
        public static void main(Driver driver) {
            Language all = new Language();
            Map<String, Integer> seen = new HashMap<>();
            driver.event("a", () -> {
                int chosen = driver.any(3);
                all.count = chosen;
                Tasks.any(() -> {
                    if (driver.any(3) == 1 && chosen == 2) {
                        seen.merge("count", all.count, Integer::sum);
                    }
                });
            });
            driver.event("b", () -> {
                if (driver.any(2) == 1) {
                    all.count++;
                }
            });
        }
    }
}
