final class ItemAdapter extends BaseAdapter {
    private final List<String> images;

    ItemAdapter(List<String> images) {
        this.images = images;
    }

    @Override
    public View getView(int row, View recycled, ViewGroup list) {
        ImageView view = recycled == null ? new ImageView(list.getContext()) : (ImageView) recycled;
        new ImageLoader(view, images.get(row)).execute();
        return view;
    }
}
