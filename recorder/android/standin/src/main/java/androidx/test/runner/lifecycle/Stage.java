package androidx.test.runner.lifecycle;

/** The states of an activity. */
public enum Stage {
  PRE_ON_CREATE,
  CREATED,
  STARTED,
  RESUMED,
  PAUSED,
  STOPPED,
  RESTARTED,
  DESTROYED
}
