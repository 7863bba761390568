package pairs;

import android.content.SharedPreferences;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.Test;
import org.robolectric.RuntimeEnvironment;

/** What counts as one location. The locations have {@code shared} in their class or name. */
public class AccessesTest extends Pairs {
  private static long sharedStatic;

  private static final class Shared {
    volatile Object next;
    final Object fixed = new Object();
    private double wide;

    Shared() {
      next = this;
    }
  }

  private static void both(Runnable first, Runnable second) throws InterruptedException {
    Thread worker = Main.start(first);
    second.run();
    worker.join();
  }

  @Test
  public void raceStatic() throws Exception {
    both(() -> sharedStatic = 1, () -> sharedStatic = 2);
  }

  @Test
  public void raceVolatile() throws Exception {
    Shared shared = new Shared();
    both(() -> shared.next = null, () -> shared.next = shared);
  }

  @Test
  public void raceWideFieldOfOther() throws Exception {
    Shared shared = new Shared();
    both(() -> shared.wide = 1, () -> shared.wide += 2);
  }

  @Test
  public void orderedFieldsOfTwoObjects() throws Exception {
    Shared first = new Shared();
    Shared second = new Shared();
    both(() -> first.next = null, () -> second.next = null);
  }

  @Test
  public void orderedFinal() throws Exception {
    Shared shared = new Shared();
    both(() -> shared.fixed.hashCode(), () -> shared.fixed.hashCode());
  }

  @Test
  public void orderedElements() throws Exception {
    int[] elements = new int[2];
    both(() -> elements[0] = 1, () -> elements[1] = 2);
  }

  @Test
  public void orderedReads() throws Exception {
    shared = 3;
    List<Integer> copies = new ArrayList<>(List.of(0, 0));
    both(() -> Integer.valueOf(shared), () -> copies.set(0, shared));
  }

  @Test
  public void orderedKeys() throws Exception {
    Map<String, Integer> map = new HashMap<>();
    both(() -> map.get("a"), () -> map.get("b"));
  }

  @Test
  public void raceConstructedElsewhere() throws Exception {
    Shared[] shared = new Shared[1];
    both(
        () -> shared[0] = new Shared(),
        () -> {
          if (shared[0] != null) {
            shared[0].fixed.hashCode();
          }
        });
  }

  @Test
  public void raceItems() throws Exception {
    List<Integer> shared = new ArrayList<>();
    both(() -> shared.add(1), () -> shared.add(2));
  }

  @Test
  public void raceKey() throws Exception {
    Map<String, Integer> shared = new HashMap<>();
    both(() -> shared.put("a", 1), () -> shared.remove("a"));
  }

  private static SharedPreferences preferences() {
    return RuntimeEnvironment.getApplication().getSharedPreferences("test", 0);
  }

  @Test
  public void racePreference() throws Exception {
    SharedPreferences shared = preferences();
    both(() -> shared.edit().putInt("a", 1).apply(), () -> shared.getInt("a", 0));
  }

  @Test
  public void orderedPreferences() throws Exception {
    SharedPreferences shared = preferences();
    both(
        () -> shared.edit().putInt("a", 1).apply(),
        () -> shared.edit().putInt("b", shared.getInt("c", 0)).apply());
  }
}
