//! The anomalies that a sequence of operations can have, and how the analysis interprets each.

use crate::codes;

codes! {
    BEGIN_WITHOUT_ENQUEUE = "begin-without-enqueue", Info,
        "A message is dispatched that nothing in the trace posted. It belongs to the queue its thread attached and takes part in no rule that names its enqueue.";
    DUPLICATE_ENQUEUE = "duplicate-enqueue", Warning,
        "A message id is posted a second time. The second enqueue is ignored: recorders give a new id to every post.";
    ENQUEUE_AFTER_BEGIN = "enqueue-after-begin", Warning,
        "A message is posted after it was dispatched. The enqueue counts as the message's, but orders nothing that came before it.";
    DUPLICATE_BEGIN = "duplicate-begin", Warning,
        "A message id is dispatched a second time. The second begin is ignored: what follows belongs to no event of that id.";
    NESTED_BEGIN = "nested-begin", Warning,
        "An event begins inside another event of the same thread. Operations belong to the innermost open event; the outer one resumes after its end.";
    WRONG_END = "wrong-end", Warning,
        "An event ends that is not the innermost open one of its thread. The end is ignored.";
    UNENDED_EVENT = "unended-event", Info,
        "An event never ends. No rule concludes anything about its end.";
    BEGIN_ON_FOREIGN_THREAD = "begin-on-foreign-thread", Warning,
        "An event of a Looper begins on a thread that does not own its queue. It is analysed as an event of that Looper.";
    BEGIN_AFTER_REMOVE = "begin-after-remove", Warning,
        "A message is dispatched after it was removed. It is analysed as dispatched.";
    MESSAGE_NOT_POSTED = "message-not-posted", Info,
        "A message is removed, or its blocking enqueue returns, although it was not posted before. That orders nothing.";
    UNLOCK_WITHOUT_LOCK = "unlock-without-lock", Warning,
        "A thread releases a lock that it does not hold. The release is ignored.";
    LOCK_HELD_AT_EXIT = "lock-held-at-exit", Info,
        "A thread exits while it holds a lock.";
    DUPLICATE_INIT = "duplicate-init", Warning,
        "A thread is initialised a second time. Every init orders what follows it on the thread.";
    OPERATION_BEFORE_INIT = "operation-before-init", Warning,
        "A thread runs before its init. The init orders only what follows it.";
    OPERATION_AFTER_EXIT = "operation-after-exit", Warning,
        "A thread runs after its exit. The exit orders only what precedes it.";
    FORK_WITHOUT_INIT = "fork-without-init", Info,
        "A thread is forked but the trace shows no later init of it. The fork orders nothing.";
    FORK_AFTER_START = "fork-after-start", Warning,
        "A thread is forked that already ran. The fork orders only a later init.";
    JOIN_WITHOUT_EXIT = "join-without-exit", Info,
        "A thread is joined but the trace shows no earlier exit of it. The join orders nothing.";
    WAIT_WITHOUT_NOTIFY = "wait-without-notify", Info,
        "A wait returns although nothing notified its handle before. It orders nothing.";
    SECOND_QUEUE = "second-queue", Warning,
        "A thread attaches a second queue, in a trace not of model web. Messages it dispatches without an enqueue belong to the first.";
    SECOND_OWNER = "second-owner", Warning,
        "A queue is attached by a second thread. The first stays its owner.";
    LOOP_WITHOUT_ATTACH = "loop-without-attach", Warning,
        "A thread loops on a queue that it did not attach.";
    DUPLICATE_BARRIER = "duplicate-barrier", Warning,
        "A barrier id is posted a second time. Every post and removal of the id counts.";
    BARRIER_NOT_POSTED = "barrier-not-posted", Warning,
        "A barrier is removed that was not posted before. The removal orders nothing.";
    CALLBACK_NOT_REGISTERED = "callback-not-registered", Info,
        "A callback is invoked or unregistered that was not registered before. No registration orders it.";
    TRIGGER_WITHOUT_ENABLE = "trigger-without-enable", Info,
        "The environment triggers an event that nothing enabled before.";
    ARC_BACKWARD = "arc-backward", Warning,
        "An arc leads to an event that begins before the arc's source ends (or never begins, or whose source never ends). The arc is ignored.";
    LEAVE_WITHOUT_ENTER = "leave-without-enter", Warning,
        "A function is left that was not entered on this thread, or not in this event. The leave is ignored.";
    FUNCTION_LEFT_OPEN = "function-left-open", Info,
        "An event ends inside a function that it entered. The call stack is what it was at the event's begin.";
    SYNC_WITHOUT_IPC = "sync-without-ipc", Warning,
        "A message that is no inter-process call is posted as a blocking one. The flag is ignored.";
    TIME_RUNS_BACKWARDS = "time-runs-backwards", Info,
        "Timestamps decrease on a thread. The order of the trace is the order of its lines.";
}
