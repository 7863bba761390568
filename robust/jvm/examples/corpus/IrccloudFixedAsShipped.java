package corpus;

import interloper.robust.Driver;
import interloper.robust.Tasks;

/**
 * The twin of corpus/robustness/irccloud-fixed-as-shipped.evp. IRCCloud with the fix that was shipped:
 * the message box is still cleared later, on the main thread.
 */
public class IrccloudFixedAsShipped {
    static boolean msg;
    static boolean eMsg;
    static boolean sent;

    static void send() {
        boolean seen = false;
        seen = msg;
        eMsg = true;
        Tasks.any(IrccloudFixedAsShipped::bg);
    }

    static void bg() {
        boolean seen = false;
        seen = eMsg;
        sent = true;
        Tasks.main(IrccloudFixedAsShipped::post);
    }

    static void post() {
        msg = true;
    }

    static void dbl() {
        boolean seen = false;
        seen = msg;
        msg = true;
    }

    public static void main(Driver d) {
        Driver.Event a = d.event("a", IrccloudFixedAsShipped::send);
        d.event("b", IrccloudFixedAsShipped::dbl).afterStart(a);
    }
}
