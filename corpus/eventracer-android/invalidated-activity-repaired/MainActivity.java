public final class MainActivity extends Activity {
    @Override
    protected void onCreate(Bundle saved) {
        super.onCreate(saved);
        new Downloader(this).execute();
    }

    /** Shows a dialog while it downloads the cards. */
    private static final class Downloader extends AsyncTask<Void, Void, List<Card>> {
        private final Activity activity;
        private final ProgressDialog dialog;

        Downloader(Activity activity) {
            this.activity = activity;
            dialog = ProgressDialog.show(activity, "", "Downloading");
        }

        @Override
        protected List<Card> doInBackground(Void... none) {
            return Cards.download();
        }

        @Override
        protected void onPostExecute(List<Card> cards) {
            if (activity.isDestroyed()) {
                return;
            }
            dialog.dismiss();
            Cards.show(cards);
        }
    }
}
