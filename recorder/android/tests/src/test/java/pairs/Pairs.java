package pairs;

import org.junit.runner.RunWith;
import org.robolectric.RobolectricTestRunner;

/**
 * Tests come in pairs: one whose name begins with {@code race} has a race on the field {@code
 * shared} and no other; one whose name begins with {@code ordered} has none. tests/android checks
 * that.
 */
@RunWith(RobolectricTestRunner.class)
abstract class Pairs {
  int shared;
}
