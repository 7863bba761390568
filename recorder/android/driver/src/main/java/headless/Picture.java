package headless;

import android.graphics.Bitmap;
import android.graphics.Canvas;
import android.view.View;
import android.view.ViewRootImpl;
import java.io.ByteArrayOutputStream;
import java.util.HexFormat;
import java.util.List;

/** Draws the windows of the app. */
final class Picture {
  private Picture() {}

  /** Returns a picture of all windows, as PNG in hexadecimal digits. */
  static String png() {
    List<ViewRootImpl> roots = Views.roots();
    if (roots.isEmpty()) {
      throw new IllegalArgumentException("the app shows no window");
    }
    View first = roots.get(0).getView();
    Bitmap picture =
        Bitmap.createBitmap(
            Math.max(1, first.getWidth()), Math.max(1, first.getHeight()), Bitmap.Config.ARGB_8888);
    Canvas canvas = new Canvas(picture);
    for (ViewRootImpl root : roots) {
      int[] at = new int[2];
      root.getView().getLocationOnScreen(at);
      canvas.save();
      canvas.translate(at[0], at[1]);
      root.getView().draw(canvas);
      canvas.restore();
    }
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    picture.compress(Bitmap.CompressFormat.PNG, 100, out);
    return HexFormat.of().formatHex(out.toByteArray());
  }
}
