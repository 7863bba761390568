package interloper.ilt;

/** The operations of a sync block, in the order of their tags (docs/format.md). */
public enum Sync {
  INIT,
  EXIT,
  FORK,
  JOIN,
  NOTIFY,
  WAIT,
  LOCK,
  UNLOCK,
  ATTACH,
  LOOP,
  ENQUEUE,
  ENQUEUE_END,
  REMOVE,
  BEGIN,
  END,
  POST_BARRIER,
  REMOVE_BARRIER,
  REGISTER,
  INVOKE,
  INVOKE_SYNC,
  UNREGISTER,
  ENABLE,
  TRIGGER,
  ARC
}
