package com.example.ends;

import android.app.Activity;
import android.content.Intent;
import android.os.Bundle;
import android.os.Handler;
import java.io.File;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.concurrent.CountDownLatch;

/**
 * An app that ends badly, one way for each button. Before that it has a race on {@code result}, which
 * must not be lost. {@code snoop} crashes with the list of what it could do to the machine.
 */
public final class EndsActivity extends Activity {
  private final Handler main = new Handler();
  private final int[] frames = new int[1];
  private String result = "";

  private interface Act {
    void run() throws Exception;
  }

  @Override
  protected void onCreate(Bundle saved) {
    super.onCreate(saved);
    setContentView(R.layout.ends);
    new Thread(() -> main.post(() -> result = "late")).start();
    new Thread(() -> main.post(() -> result = "early")).start();
    on(R.id.crash, () -> { throw new IllegalStateException("the button was pressed"); });
    on(R.id.hang, () -> { while (true) { frames[0]++; } });
    on(R.id.deadlock, () -> new CountDownLatch(1).await());
    on(R.id.exit, () -> System.exit(3));
    on(R.id.threads, this::startThreads);
    on(R.id.endless, this::animate);
    on(R.id.snoop, this::snoop);
    on(R.id.other, () -> startActivity(new Intent(this, OtherActivity.class)));
  }

  private void on(int button, Act act) {
    findViewById(button)
        .setOnClickListener(
            view -> {
              try {
                act.run();
              } catch (RuntimeException failure) {
                throw failure;
              } catch (Exception failure) {
                throw new IllegalStateException(failure);
              }
            });
  }

  private void startThreads() {
    for (int i = 0; i < 1000; i++) {
      new Thread(
              () -> {
                synchronized (frames) {
                  frames[0]++;
                  try {
                    frames.wait();
                  } catch (InterruptedException ended) {
                    return;
                  }
                }
              })
          .start();
    }
  }

  private void animate() {
    for (int i = 0; i < 200; i++) {
      frames[0] = i;
    }
    main.post(this::animate);
  }

  private void snoop() {
    StringBuilder could = new StringBuilder("could:");
    attempt(could, "read", () -> new FileInputStream("/etc/passwd").close());
    attempt(could, "list", () -> {
      if (new File("/etc").list().length > 8 || new File("/home").list().length > 0) {
        return;
      }
      throw new IOException("nothing there");
    });
    attempt(could, "write", () -> new FileOutputStream("/usr/lib/interloper-test").close());
    attempt(could, "connect", () -> new Socket().connect(new InetSocketAddress("127.0.0.1", PORT), 500));
    attempt(could, "start", () -> Runtime.getRuntime().exec(new String[] {"/bin/sh", "-c", "true"}));
    attempt(could, "start-java", () -> new ProcessBuilder(System.getProperty("java.home") + "/bin/java").start());
    attempt(could, "scratch", () -> new FileOutputStream(new File(getCacheDir(), "own")).close());
    throw new IllegalStateException(could.toString());
  }

  /** The port of the test's own server. */
  private static final int PORT = 47631;

  private static void attempt(StringBuilder could, String what, Act act) {
    try {
      act.run();
      could.append(' ').append(what);
    } catch (Exception refused) {
      // As it should be.
    }
  }
}
