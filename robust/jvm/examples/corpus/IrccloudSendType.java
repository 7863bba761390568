package corpus;

import interloper.robust.Driver;
import interloper.robust.Tasks;

/**
 * The twin of corpus/robustness/irccloud-send-type.evp. IRCCloud (section 8.2): the user types after
 * pressing "send".
 */
public class IrccloudSendType {
    static boolean msg;
    static boolean eMsg;
    static boolean sent;

    static void send() {
        boolean seen = false;
        seen = msg;
        eMsg = true;
        Tasks.any(IrccloudSendType::bg);
    }

    static void bg() {
        boolean seen = false;
        seen = msg;
        sent = true;
    }

    static void type() {
        msg = true;
    }

    public static void main(Driver d) {
        Driver.Event a = d.event("a", IrccloudSendType::send);
        d.event("b", IrccloudSendType::type).afterStart(a);
    }
}
