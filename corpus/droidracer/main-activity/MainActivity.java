public final class MainActivity extends Activity {
    private int x;

    @Override
    protected void onCreate(Bundle saved) {
        super.onCreate(saved);
        new Thread(() -> {
            x = 2;
            runOnUiThread(() -> Log.i("x", "x is " + x));
        }).start();
        x = 1;
    }

    @Override
    protected void onDestroy() {
        x = -1;
        super.onDestroy();
    }
}
