package odd;

import interloper.robust.Driver;
import interloper.robust.Tasks;
import java.io.ByteArrayInputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.Timer;
import java.util.TimerTask;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;

/** Calls of the library that access more than their receiver. In each program, the two tasks of an event conflict. */
public class Calls {
    int count;

    private static void event(Driver driver, Runnable first, Runnable second) {
        driver.event("a", () -> {
            Tasks.any(first);
            Tasks.any(second);
        });
    }

    public static class CopiesFrom {
        public static void main(Driver driver) {
            int[] from = new int[4];
            int[] to = new int[4];
            event(driver, () -> System.arraycopy(from, 0, to, 0, 4), () -> from[3] = 1);
        }
    }

    public static class CopiesTo {
        public static void main(Driver driver) {
            int[] from = new int[4];
            int[] to = new int[4];
            event(driver, () -> System.arraycopy(from, 0, to, 0, 4), () -> from[0] = to[2]);
        }
    }

    /** The tasks copy to different elements: no conflict. */
    public static class CopiesApart {
        public static void main(Driver driver) {
            int[] to = new int[4];
            event(driver, () -> System.arraycopy(new int[2], 0, to, 0, 2), () -> System.arraycopy(new int[2], 0, to, 2, 2));
        }
    }

    /** The second task only counts if it sees the copy as a whole, so it cannot run between two elements. */
    public static class CopiesInOneStep {
        public static void main(Driver driver) {
            Calls calls = new Calls();
            int[] to = new int[2];
            driver.event("a", () -> {
                Tasks.any(() -> System.arraycopy(new int[] {1, 1}, 0, to, 0, 2));
            });
            driver.event("b", () -> calls.count = Arrays.stream(to).sum());
        }
    }

    public static class Fills {
        public static void main(Driver driver) {
            int[] array = new int[4];
            event(driver, () -> Arrays.fill(array, 2), () -> array[1] = array[2]);
        }
    }

    /** The tasks fill different elements: no conflict. */
    public static class FillsApart {
        public static void main(Driver driver) {
            int[] array = new int[4];
            event(driver, () -> Arrays.fill(array, 0, 2, 1), () -> Arrays.fill(array, 2, 4, 1));
        }
    }

    public static class ReadsInto {
        public static void main(Driver driver) {
            byte[] to = new byte[4];
            event(driver, () -> new ByteArrayInputStream(new byte[4]).read(to, 0, 4), () -> to[0] = to[1]);
        }
    }

    public static class ConvertsToArray {
        public static void main(Driver driver) {
            String[] to = new String[4];
            event(driver, () -> List.of("x").toArray(to), () -> to[1] = to[0]);
        }
    }

    public static class CopiesList {
        public static void main(Driver driver) {
            List<String> list = new ArrayList<>(List.of("x"));
            event(driver, () -> Collections.copy(list, List.of("y")), () -> list.get(0));
        }
    }

    /** What is printed reaches the writer below. */
    public static class WrapsWriter {
        public static void main(Driver driver) {
            StringWriter text = new StringWriter();
            PrintWriter printer = new PrintWriter(text, true);
            event(driver, () -> printer.print("x"), text::toString);
        }
    }

    /** The tasks of the main thread share its value of a thread-local variable; other threads have their own. */
    public static class SharesThreadLocal {
        static final ThreadLocal<Integer> LOCAL = ThreadLocal.withInitial(() -> 0);

        public static void main(Driver driver) {
            Calls calls = new Calls();
            driver.event("a", () -> {
                LOCAL.set(1);
                Tasks.any(() -> LOCAL.set(3));
                Tasks.main(() -> calls.count = LOCAL.get());
            });
            driver.event("b", () -> LOCAL.set(2));
        }
    }

    public static class CallsSuper extends ArrayList<String> {
        private static final long serialVersionUID = 1;

        @Override
        public boolean addAll(Collection<? extends String> others) {
            return super.addAll(others);
        }

        public static void main(Driver driver) {
            CallsSuper list = new CallsSuper();
            List<String> others = new ArrayList<>();
            event(driver, () -> list.addAll(others), () -> others.add("x"));
        }
    }

    /** A driver whose events wait for each other. */
    public static class WaitsForItself {
        public static void main(Driver driver) {
            Driver.Event first = driver.event("a", () -> {});
            first.afterStart(driver.event("b", () -> {}).afterEnd(first));
        }
    }

    /** A handler that declares an event. */
    public static class DeclaresLate {
        public static void main(Driver driver) {
            driver.event("a", () -> driver.event("b", () -> {}));
        }
    }

    public static class ClonesArray {
        public static void main(Driver driver) {
            int[] array = new int[4];
            event(driver, () -> array.clone(), () -> array[1] = 2);
        }
    }

    public static class ClonesObject implements Cloneable {
        int first;
        int second;

        @Override
        protected ClonesObject clone() {
            try {
                return (ClonesObject) super.clone();
            } catch (CloneNotSupportedException impossible) {
                throw new AssertionError(impossible);
            }
        }

        public static void main(Driver driver) {
            ClonesObject object = new ClonesObject();
            event(driver, object::clone, () -> object.second = 1);
        }
    }

    /** The compiler turns the concatenation into a call of {@code String.valueOf(Object)}. */
    public static class Concatenates {
        static String shown;

        public static void main(Driver driver) {
            StringBuilder text = new StringBuilder();
            event(driver, () -> shown = "text " + text, () -> text.append("x"));
        }
    }

    public static class Formats {
        public static void main(Driver driver) {
            List<String> list = new ArrayList<>();
            event(driver, () -> String.format("%d %s", 1, list), () -> list.add("x"));
        }
    }

    public static class PrintsAtomic {
        public static void main(Driver driver) {
            AtomicInteger number = new AtomicInteger();
            event(driver, () -> System.out.println(number), number::incrementAndGet);
        }
    }

    public static class Compares {
        public static void main(Driver driver) {
            List<String> one = new ArrayList<>();
            List<String> other = new ArrayList<>();
            event(driver, () -> Objects.equals(one, other), () -> other.add("x"));
        }
    }

    /** A map is printed with the lists in it. */
    public static class PrintsNested {
        public static void main(Driver driver) {
            Map<String, List<String>> map = new HashMap<>();
            List<String> list = new ArrayList<>();
            map.put("list", list);
            event(driver, map::toString, () -> list.add("x"));
        }
    }

    record Page(List<String> lines) {}

    public static class PrintsRecord {
        public static void main(Driver driver) {
            Page page = new Page(new ArrayList<>());
            event(driver, page::toString, () -> page.lines().add("x"));
        }
    }

    /** A reference to a method that the library's class declares, of an object of a class of the application. */
    public static class StartsByReference {
        static class Counter extends Thread {
            int count;

            @Override
            public void run() {
                count++;
            }
        }

        public static void main(Driver driver) {
            Counter counter = new Counter();
            event(driver, counter::start, () -> counter.count++);
        }
    }

    /** The code knows the list as something that can be iterated over. */
    public static class IteratesOver {
        public static void main(Driver driver) {
            Calls calls = new Calls();
            List<Integer> list = new ArrayList<>(List.of(1, 2));
            Iterable<Integer> same = list;
            event(driver, () -> {
                for (int number : same) {
                    calls.count += number;
                }
            }, () -> list.set(0, 3));
        }
    }

    public static class SharesIterator {
        public static void main(Driver driver) {
            Iterator<Integer> iterator = List.of(1, 2).iterator();
            event(driver, iterator::next, iterator::next);
        }
    }

    public static class SharesArrayAsList {
        public static void main(Driver driver) {
            Integer[] array = {1, 2};
            List<Integer> list = Arrays.asList(array);
            event(driver, () -> list.get(0), () -> array[0] = 2);
        }
    }

    public static class UpdatesField {
        private static final AtomicIntegerFieldUpdater<UpdatesField> UPDATER =
                AtomicIntegerFieldUpdater.newUpdater(UpdatesField.class, "value");
        volatile int value;

        public static void main(Driver driver) {
            UpdatesField object = new UpdatesField();
            event(driver, () -> UPDATER.incrementAndGet(object), () -> object.value = 2);
        }
    }

    public static class SetsLocale {
        public static void main(Driver driver) {
            event(driver, () -> Locale.setDefault(Locale.FRANCE), Locale::getDefault);
        }
    }

    public static class RepeatsByTimer {
        public static void main(Driver driver) {
            Calls calls = new Calls();
            driver.event("a", () -> {
                new Timer().scheduleAtFixedRate(new TimerTask() {
                    @Override
                    public void run() {
                        calls.count++;
                    }
                }, 0, 10);
                calls.count++;
            });
        }
    }

    /** What the task does depends on which of two objects comes first. */
    private static void count(Calls calls, Set<?> set, Object first) {
        calls.count = set.iterator().next() == first ? 1 : 2;
    }

    public static class OrdersByIdentity {
        public static void main(Driver driver) {
            Calls calls = new Calls();
            driver.event("a", () -> {
                Object first = new Object();
                count(calls, new HashSet<>(List.of(first, new Object())), first);
            });
        }
    }

    public static class OrdersEnums {
        public static void main(Driver driver) {
            Calls calls = new Calls();
            driver.event("a", () -> count(calls, new HashSet<>(List.of(Locale.Category.values())), Locale.Category.DISPLAY));
        }
    }

    public static class OrdersIdentityMap {
        public static void main(Driver driver) {
            Calls calls = new Calls();
            driver.event("a", () -> {
                Map<Calls, String> map = new IdentityHashMap<>();
                Calls first = new Calls();
                map.put(first, "");
                map.put(new Calls(), "");
                count(calls, map.keySet(), first);
            });
        }
    }

    /** Objects of the application get hash codes that are the same in each run. */
    public static class OrdersOwn {
        public static void main(Driver driver) {
            Calls calls = new Calls();
            driver.event("a", () -> {
                Set<Calls> set = new HashSet<>();
                for (int i = 0; i < 8; i++) {
                    set.add(new Calls());
                }
                calls.count = set.iterator().next().hashCode();
            });
        }
    }

    /** Tasks see the threads that they run on. */
    public static class ComparesThreads {
        public static void main(Driver driver) {
            Calls calls = new Calls();
            driver.event("a", () -> {
                Thread main = Thread.currentThread();
                Tasks.any(() -> {
                    if (Thread.currentThread() == main) {
                        calls.count++;
                    }
                });
                Tasks.main(() -> {
                    if (Thread.currentThread() == main) {
                        calls.count++;
                    }
                });
            });
            driver.event("b", () -> calls.count++);
        }
    }

    public static class Halts {
        public static void main(Driver driver) {
            Calls calls = new Calls();
            driver.event("a", () -> {
                calls.count++;
                Runtime.getRuntime().halt(4);
            });
        }
    }

    private static final List<String> registered = new ArrayList<>();

    /** An initialiser that registers its class. */
    public static class Registers {
        static class Plugin {
            static {
                registered.add("plugin");
            }

            static void use() {}
        }

        public static void main(Driver driver) {
            event(driver, Plugin::use, registered::size);
        }
    }

    /** An initialiser that fills a map of its own. */
    public static class FillsOwnMap {
        static class Words {
            static final Map<String, Integer> LENGTHS = new HashMap<>();
            static Words last;

            static {
                for (String word : new String[] {"a", "bb"}) {
                    LENGTHS.put(word, word.length());
                    last = new Words();
                }
            }

            static int length(String word) {
                return LENGTHS.get(word);
            }
        }

        public static void main(Driver driver) {
            event(driver, () -> Words.length("a"), () -> Words.length("bb"));
        }
    }
}
