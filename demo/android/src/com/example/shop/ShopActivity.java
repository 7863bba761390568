package com.example.shop;

import android.app.Activity;
import android.content.ComponentName;
import android.content.Context;
import android.content.Intent;
import android.content.ServiceConnection;
import android.content.SharedPreferences;
import android.os.AsyncTask;
import android.os.Bundle;
import android.os.Handler;
import android.os.IBinder;
import android.os.Looper;
import android.widget.TextView;

/** The goods. Mistakes 1, 2, 4 and 6. */
public class ShopActivity extends Activity {
  private final Handler main = new Handler(Looper.getMainLooper());
  private final Row row = new Row();
  private CartService.Local cart;
  private String[] found = {};
  private int page;

  /** A row of the list, which shows one article after another. */
  static final class Row {
    String image;
  }

  private final ServiceConnection connection =
      new ServiceConnection() {
        @Override
        public void onServiceConnected(ComponentName name, IBinder binder) {
          cart = (CartService.Local) binder;
        }

        @Override
        public void onServiceDisconnected(ComponentName name) {
          cart = null;
        }
      };

  @Override
  protected void onCreate(Bundle saved) {
    super.onCreate(saved);
    setContentView(R.layout.shop);
    bindService(new Intent(this, CartService.class), connection, BIND_AUTO_CREATE);
    // Mistake 2: the cart may not be there yet.
    findViewById(R.id.buy).setOnClickListener(view -> cart.add());
    findViewById(R.id.search).setOnClickListener(view -> search());
    findViewById(R.id.next).setOnClickListener(view -> show(++page));
    findViewById(R.id.order)
        .setOnClickListener(view -> startActivity(new Intent(this, OrderActivity.class)));
    show(page);
    countVisit();
  }

  /** Mistake 1: the image may arrive when the row shows another article. */
  private void show(int article) {
    row.image = null;
    setTitle("Article " + article + " of " + found.length);
    new Thread(
            () -> {
              String image = "image of article " + article;
              main.post(() -> row.image = image);
            })
        .start();
  }

  /** Mistake 4: the number that is written was read before, and another may have been written since. */
  private void countVisit() {
    new Thread(() -> add("visits")).start();
    add("visits");
  }

  private void add(String key) {
    SharedPreferences settings = getSharedPreferences("shop", Context.MODE_PRIVATE);
    int count = settings.getInt(key, 0);
    settings.edit().putInt(key, count + 1).apply();
  }

  /** Mistake 6: the answer to the first question may come after the answer to the second. */
  private void search() {
    new Search().executeOnExecutor(AsyncTask.THREAD_POOL_EXECUTOR, "shoes");
    new Search().executeOnExecutor(AsyncTask.THREAD_POOL_EXECUTOR, "shirts");
  }

  private final class Search extends AsyncTask<String, Void, String[]> {
    @Override
    protected String[] doInBackground(String... words) {
      return new String[] {words[0] + " 1", words[0] + " 2"};
    }

    @Override
    protected void onPostExecute(String[] result) {
      found = result;
      ((TextView) findViewById(R.id.title)).setText(found.length + " found");
    }
  }

  @Override
  protected void onDestroy() {
    unbindService(connection);
    super.onDestroy();
  }
}
