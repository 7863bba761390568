package corpus;

import interloper.robust.Driver;
import interloper.robust.Tasks;

/**
 * The twin of corpus/robustness/irccloud-send-doubleclick.evp. IRCCloud (Fig. 1): the background task
 * reads the message again after a double-click changed it.
 */
public class IrccloudSendDoubleclick {
    static boolean msg;
    static boolean eMsg;
    static boolean sent;

    static void send() {
        boolean seen = false;
        seen = msg;
        eMsg = true;
        Tasks.any(IrccloudSendDoubleclick::bg);
    }

    static void bg() {
        boolean seen = false;
        seen = msg;
        sent = true;
    }

    static void dbl() {
        boolean seen = false;
        seen = msg;
        msg = true;
    }

    public static void main(Driver d) {
        Driver.Event a = d.event("a", IrccloudSendDoubleclick::send);
        d.event("b", IrccloudSendDoubleclick::dbl).afterStart(a);
    }
}
