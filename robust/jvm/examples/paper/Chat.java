package paper;

import android.os.AsyncTask;
import interloper.robust.Driver;

/** IRCCloud, Fig. 1: a message is sent in the background while the user goes on writing. */
public class Chat {
    /** A text field of the screen. */
    static class TextBox {
        private String text;

        TextBox(String text) {
            this.text = text;
        }

        String getText() {
            return text;
        }

        void append(String more) {
            text = text + more;
        }
    }

    final TextBox message = new TextBox("Hello");
    final boolean repaired;
    String sent;

    Chat(boolean repaired) {
        this.repaired = repaired;
    }

    class SendTask extends AsyncTask<Void, Void, Void> {
        private String shown;

        @Override
        protected void onPreExecute() {
            shown = message.getText();
        }

        @Override
        protected Void doInBackground(Void... none) {
            sent = repaired ? shown : message.getText();
            return null;
        }
    }

    void onSend() {
        new SendTask().execute();
    }

    void onDoubleClick() {
        message.append(", nick");
    }

    private static void declare(Driver driver, Chat chat) {
        Driver.Event send = driver.event("send", chat::onSend);
        driver.event("doubleClick", chat::onDoubleClick).afterStart(send);
    }

    public static class Broken {
        public static void main(Driver driver) {
            declare(driver, new Chat(false));
        }
    }

    public static class Repaired {
        public static void main(Driver driver) {
            declare(driver, new Chat(true));
        }
    }
}
