package android.os;

import interloper.robust.Tasks;

/** A model of Android's Handler on the main thread. Delays are not modelled: tasks run in every order. */
public class Handler {
    public interface Callback {
        boolean handleMessage(Message message);
    }

    private final Callback callback;

    public Handler() {
        this((Callback) null);
    }

    public Handler(Looper looper) {
        this((Callback) null);
    }

    public Handler(Looper looper, Callback callback) {
        this(callback);
    }

    public Handler(Callback callback) {
        this.callback = callback;
    }

    public void handleMessage(Message message) {}

    public final boolean post(Runnable task) {
        Tasks.main(task);
        return true;
    }

    public final boolean postDelayed(Runnable task, long delayMillis) {
        return post(task);
    }

    public final boolean sendMessage(Message message) {
        return post(() -> {
            if (callback == null || !callback.handleMessage(message)) {
                handleMessage(message);
            }
        });
    }

    public final boolean sendMessageDelayed(Message message, long delayMillis) {
        return sendMessage(message);
    }

    public final boolean sendEmptyMessage(int what) {
        return sendMessage(obtainMessage(what));
    }

    public final boolean sendEmptyMessageDelayed(int what, long delayMillis) {
        return sendEmptyMessage(what);
    }

    public final Message obtainMessage() {
        return Message.obtain();
    }

    public final Message obtainMessage(int what) {
        return obtainMessage(what, null);
    }

    public final Message obtainMessage(int what, Object object) {
        Message message = Message.obtain();
        message.what = what;
        message.obj = object;
        return message;
    }
}
