/** Loads the image of one row, and drops it if the view shows another row by then. */
final class ImageLoader extends AsyncTask<Void, Void, Bitmap> {
    private final ImageView view;
    private final String image;

    ImageLoader(ImageView view, String image) {
        this.view = view;
        this.image = image;
        view.setTag(image);
    }

    @Override
    protected Bitmap doInBackground(Void... none) {
        return Images.load(image);
    }

    @Override
    protected void onPostExecute(Bitmap bitmap) {
        if (image.equals(view.getTag())) {
            view.setImageBitmap(bitmap);
        }
    }
}
