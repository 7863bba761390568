package corpus;

import interloper.robust.Driver;
import interloper.robust.Tasks;

/**
 * The twin of corpus/robustness/irccloud-fixed-as-described.evp. IRCCloud with the fix the paper
 * describes: the background task reads the copy.
 */
public class IrccloudFixedAsDescribed {
    static boolean msg;
    static boolean eMsg;
    static boolean sent;

    static void send() {
        boolean seen = false;
        seen = msg;
        eMsg = true;
        Tasks.any(IrccloudFixedAsDescribed::bg);
    }

    static void bg() {
        boolean seen = false;
        seen = eMsg;
        sent = true;
    }

    static void dbl() {
        boolean seen = false;
        seen = msg;
        msg = true;
    }

    public static void main(Driver d) {
        Driver.Event a = d.event("a", IrccloudFixedAsDescribed::send);
        d.event("b", IrccloudFixedAsDescribed::dbl).afterStart(a);
    }
}
