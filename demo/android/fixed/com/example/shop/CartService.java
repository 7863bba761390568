package com.example.shop;

import android.app.Service;
import android.content.Intent;
import android.os.Binder;
import android.os.IBinder;

/** Holds the cart. */
public class CartService extends Service {
  /** The service as the activity sees it. */
  public final class Local extends Binder {
    void add() {
      items++;
    }
  }

  private int items;

  @Override
  public IBinder onBind(Intent intent) {
    return new Local();
  }
}
