package com.example.ends;

import android.app.Activity;

/** Another activity, for the explorer to reach. */
public final class OtherActivity extends Activity {}
