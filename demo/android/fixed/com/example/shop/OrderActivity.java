package com.example.shop;

import android.app.Activity;
import android.database.Cursor;
import android.database.MatrixCursor;
import android.os.Bundle;
import android.os.Handler;
import android.os.Looper;
import android.widget.TextView;

/** The order, with mistakes 3 and 5 repaired. */
public class OrderActivity extends Activity {
  private final Handler main = new Handler(Looper.getMainLooper());
  private final Runnable show = () -> showNow();
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
    main.postDelayed(show, 1);
  }

  /** The price goes to a view that stays as long as anybody uses it. */
  private void showNow() {
    TextView title = this.title;
    setTitle(rows.count() + " articles");
    new Thread(() -> main.post(() -> title.setText("price"))).start();
  }

  @Override
  protected void onDestroy() {
    main.removeCallbacks(show);
    rows.close();
    super.onDestroy();
  }
}
