public final class MainActivity extends Activity {
    @Override
    protected void onCreate(Bundle saved) {
        super.onCreate(saved);
        new Downloader(this).execute();
    }

    /** Shows a dialog while it downloads the cards. */
    private static final class Downloader extends AsyncTask<Void, Void, List<Card>> {
        private final ProgressDialog dialog;

        Downloader(Activity activity) {
            dialog = ProgressDialog.show(activity, "", "Downloading");
        }

        @Override
        protected List<Card> doInBackground(Void... none) {
            return Cards.download();
        }

        @Override
        protected void onPostExecute(List<Card> cards) {
            dialog.dismiss();
            Cards.show(cards);
        }
    }
}
