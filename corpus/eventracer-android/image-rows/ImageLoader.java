/** Loads the image of one row. */
final class ImageLoader extends AsyncTask<Void, Void, Bitmap> {
    private final ImageView view;
    private final String image;

    ImageLoader(ImageView view, String image) {
        this.view = view;
        this.image = image;
    }

    @Override
    protected Bitmap doInBackground(Void... none) {
        return Images.load(image);
    }

    @Override
    protected void onPostExecute(Bitmap bitmap) {
        view.setImageBitmap(bitmap);
    }
}
