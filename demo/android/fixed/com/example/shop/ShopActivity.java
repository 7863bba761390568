package com.example.shop;

import android.app.Activity;
import android.content.ComponentName;
import android.content.Context;
import android.content.Intent;
import android.content.ServiceConnection;
import android.content.SharedPreferences;
import android.os.AsyncTask;
import android.os.Bundle;
import android.os.IBinder;
import android.widget.TextView;

/** The goods, with mistakes 1, 2, 4 and 6 repaired. */
public class ShopActivity extends Activity {
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
          // There is something to click only when the cart is there.
          findViewById(R.id.buy).setOnClickListener(view -> cart.add());
        }

        @Override
        public void onServiceDisconnected(ComponentName name) {
          findViewById(R.id.buy).setOnClickListener(null);
        }
      };

  @Override
  protected void onCreate(Bundle saved) {
    super.onCreate(saved);
    setContentView(R.layout.shop);
    bindService(new Intent(this, CartService.class), connection, BIND_AUTO_CREATE);
    findViewById(R.id.search).setOnClickListener(view -> search());
    findViewById(R.id.next).setOnClickListener(view -> show(++page));
    findViewById(R.id.order)
        .setOnClickListener(view -> startActivity(new Intent(this, OrderActivity.class)));
    show(page);
    countVisit();
  }

  /** The image belongs to the app, so nothing arrives later. */
  private void show(int article) {
    row.image = "image of article " + article;
    setTitle("Article " + article);
  }

  /** One task reads and writes the number at a time. */
  private void countVisit() {
    AsyncTask.SERIAL_EXECUTOR.execute(() -> add("visits"));
    AsyncTask.SERIAL_EXECUTOR.execute(() -> add("visits"));
  }

  private void add(String key) {
    SharedPreferences settings = getSharedPreferences("shop", Context.MODE_PRIVATE);
    int count = settings.getInt(key, 0);
    settings.edit().putInt(key, count + 1).apply();
  }

  /** The second question is asked when the first is answered. */
  private void search() {
    new Search().executeOnExecutor(AsyncTask.SERIAL_EXECUTOR, "shoes");
    new Search().executeOnExecutor(AsyncTask.SERIAL_EXECUTOR, "shirts");
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
