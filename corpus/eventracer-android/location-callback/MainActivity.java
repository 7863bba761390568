public final class MainActivity extends Activity implements LocationListener {
    private LocationManager locations;
    private SQLiteOpenHelper database;

    @Override
    protected void onResume() {
        super.onResume();
        locations.requestLocationUpdates("gps", 0, 0, this);
    }

    @Override
    protected void onStop() {
        locations.removeUpdates(this);
        database.close();
        super.onStop();
    }

    @Override
    public void onLocationChanged(Location location) {
        Tracks.insert(database.getWritableDatabase(), location);
    }
}
