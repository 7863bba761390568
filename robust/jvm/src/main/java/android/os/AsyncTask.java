package android.os;

import interloper.robust.Tasks;
import java.util.concurrent.Executor;

/**
 * A model of Android's AsyncTask. Each background task has a thread of its own, which is more than Android
 * allows, where they run one after the other by default.
 */
public abstract class AsyncTask<Params, Progress, Result> {
    public static final Executor THREAD_POOL_EXECUTOR = Tasks::any;
    public static final Executor SERIAL_EXECUTOR = Tasks::any;

    private boolean cancelled;

    @SuppressWarnings("unchecked")
    protected abstract Result doInBackground(Params... params);

    protected void onPreExecute() {}

    protected void onPostExecute(Result result) {}

    @SuppressWarnings("unchecked")
    protected void onProgressUpdate(Progress... values) {}

    protected void onCancelled() {}

    protected void onCancelled(Result result) {
        onCancelled();
    }

    @SafeVarargs
    protected final void publishProgress(Progress... values) {
        Tasks.main(() -> onProgressUpdate(values));
    }

    public final boolean isCancelled() {
        return cancelled;
    }

    public final boolean cancel(boolean mayInterruptIfRunning) {
        cancelled = true;
        return true;
    }

    @SafeVarargs
    public final AsyncTask<Params, Progress, Result> execute(Params... params) {
        onPreExecute();
        Tasks.any(() -> {
            Result result = doInBackground(params);
            Tasks.main(() -> finish(result));
        });
        return this;
    }

    @SafeVarargs
    public final AsyncTask<Params, Progress, Result> executeOnExecutor(Executor executor, Params... params) {
        return execute(params);
    }

    public static void execute(Runnable runnable) {
        Tasks.any(runnable);
    }

    private void finish(Result result) {
        if (isCancelled()) {
            onCancelled(result);
        } else {
            onPostExecute(result);
        }
    }
}
