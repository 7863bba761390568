package android.os;

/** A model of Android's Message. */
public final class Message {
    public int what;
    public int arg1;
    public int arg2;
    public Object obj;

    public static Message obtain() {
        return new Message();
    }
}
