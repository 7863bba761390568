package android.app;

import interloper.robust.Tasks;

/** A model of Android's Activity: {@code runOnUiThread} runs a task at once on the main thread, and posts it elsewhere. */
public class Activity {
    public final void runOnUiThread(Runnable task) {
        if (Tasks.isMain()) {
            task.run();
        } else {
            Tasks.main(task);
        }
    }
}
