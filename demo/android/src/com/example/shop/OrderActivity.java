package com.example.shop;

import android.app.Activity;
import android.database.Cursor;
import android.database.MatrixCursor;
import android.os.Bundle;
import android.os.Handler;
import android.os.Looper;
import android.widget.TextView;

/** The order. Mistakes 3 and 5. */
public class OrderActivity extends Activity {
  private final Handler main = new Handler(Looper.getMainLooper());
  private TextView title;
  private Rows rows;

  /** The articles of the order. */
  static final class Rows {
    private final Cursor cursor;
    private boolean isClosed;

    Rows() {
      MatrixCursor made = new MatrixCursor(new String[] {"name"});
      made.addRow(new Object[] {"shoes"});
      cursor = made;
    }

    int count() {
      return isClosed ? 0 : cursor.getCount();
    }

    void close() {
      isClosed = true;
      cursor.close();
    }
  }

  @Override
  protected void onCreate(Bundle saved) {
    super.onCreate(saved);
    setContentView(R.layout.shop);
    title = (TextView) findViewById(R.id.title);
    rows = new Rows();
    Rows shown = rows;
    // Mistake 5: the rows may be closed while they are shown.
    new Thread(shown::close).start();
    main.postDelayed(() -> show(), 1);
  }

  /** Mistake 3: the price may arrive when the activity is gone. */
  private void show() {
    setTitle(rows.count() + " articles");
    new Thread(() -> main.post(() -> title.setText("price"))).start();
  }

  @Override
  protected void onDestroy() {
    title = null;
    super.onDestroy();
  }
}
