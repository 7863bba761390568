public final class MainActivity extends Activity implements LocationListener {
    private LocationManager locations;
    private SQLiteOpenHelper database;
    private boolean active;

    @Override
    protected void onResume() {
        super.onResume();
        active = true;
        locations.requestLocationUpdates("gps", 0, 0, this);
    }

    @Override
    protected void onStop() {
        active = false;
        locations.removeUpdates(this);
        database.close();
        super.onStop();
    }

    @Override
    public void onLocationChanged(Location location) {
        if (!active) {
            return;
        }
        Tracks.insert(database.getWritableDatabase(), location);
    }
}
