package androidx.test.runner.lifecycle;

/** The states of an application. */
public enum ApplicationStage {
  PRE_ON_CREATE,
  CREATED
}
