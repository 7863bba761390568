package apps;

import android.app.Activity;
import android.os.AsyncTask;
import interloper.robust.Driver;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A chat client, modelled after irccloud. In the broken version the background task that sends a message reads
 * the message box; the repaired one sends what the handler read.
 */
public class Chat extends Activity {
    /** The text box in which a message is written. */
    static class TextBox {
        private final StringBuilder text = new StringBuilder();
        private int cursor;

        String text() {
            return text.toString();
        }

        void append(String more) {
            text.append(more);
            cursor = text.length();
        }

        void clear() {
            text.setLength(0);
            cursor = 0;
        }
    }

    /** A line of a conversation. */
    record Line(long time, String from, String text) {}

    /** A conversation. */
    static class Buffer {
        final String name;
        private final Deque<Line> lines = new ArrayDeque<>();
        private int unread;
        private long lastSeen;

        Buffer(String name, int count) {
            this.name = name;
            for (int i = 0; i < count; i++) {
                lines.add(new Line(i, "user" + i % 4, "line " + i));
            }
            unread = count;
        }
    }

    /** What the user set. */
    static class Settings {
        private String nick = "me";
        private boolean isDark;
        private int fontSize = 12;
        private final Map<String, String> server = new LinkedHashMap<>();
    }

    private final boolean repaired;
    private final TextBox box = new TextBox();
    private final Map<String, Buffer> buffers = new LinkedHashMap<>();
    private final Settings settings = new Settings();
    private final List<String> sent = new ArrayList<>();
    private String pending;
    private Buffer current;
    private List<String> shown = List.of();
    private int requests;
    private String status = "";
    private String title = "";

    Chat(boolean repaired) {
        this.repaired = repaired;
        for (String name : new String[] {"#android", "#java", "#rust"}) {
            buffers.put(name, new Buffer(name, 12));
        }
        current = buffers.get("#java");
        box.append("hello");
    }

    /** Sends a message in the background. */
    class SendTask extends AsyncTask<String, Void, Boolean> {
        @Override
        protected void onPreExecute() {
            pending = box.text();
        }

        @Override
        protected Boolean doInBackground(String... to) {
            String text = repaired ? pending : box.text();
            if (text.isEmpty()) {
                return false;
            }
            sent.add(to[0] + ": " + text);
            return true;
        }

        @Override
        protected void onPostExecute(Boolean isSent) {
            status = isSent ? "sent" : "nothing to send";
        }
    }

    void onSend() {
        new SendTask().execute("#java");
    }

    void onDoubleClick() {
        String text = box.text();
        box.append(text.isEmpty() ? "nick: " : " nick");
    }

    void onType() {
        box.append("x");
    }

    /** Collects the lines of a conversation, and shows them. */
    void onSelectBuffer(String name) {
        Buffer selected = buffers.get(name);
        current = selected;
        title = selected.name;
        selected.unread = 0;
        List<Line> copy = new ArrayList<>(selected.lines);
        new Thread(() -> {
            List<String> texts = new ArrayList<>();
            long last = 0;
            for (Line line : copy) {
                texts.add("<" + line.from() + "> " + line.text());
                last = Math.max(last, line.time());
            }
            long seen = last;
            runOnUiThread(() -> {
                shown = texts;
                selected.lastSeen = seen;
            });
        }).start();
    }

    void onLine() {
        Buffer to = buffers.get("#rust");
        to.lines.add(new Line(99, "user1", "news"));
        to.unread++;
    }

    /** Saves preferences of the device. */
    void onSavePreferences() {
        boolean dark = !settings.isDark;
        settings.isDark = dark;
        int size = settings.fontSize + 1;
        settings.fontSize = size;
        new Thread(() -> runOnUiThread(() -> status = dark ? "dark " + size : "light " + size)).start();
    }

    /** Saves settings at the server. */
    void onSaveSettings() {
        String nick = settings.nick + "_";
        settings.nick = nick;
        int request = ++requests;
        new Thread(() -> {
            settings.server.put("nick", nick);
            settings.server.put("request", "" + request);
            runOnUiThread(() -> title = "saved " + request);
        }).start();
    }

    /** Table 1: preferences are saved. */
    public static class SavePreferences {
        public static void main(Driver driver) {
            driver.event("preferences", new Chat(false)::onSavePreferences);
        }
    }

    /** Table 1: settings are saved. */
    public static class SaveSettings {
        public static void main(Driver driver) {
            driver.event("settings", new Chat(false)::onSaveSettings);
        }
    }

    /** Table 1: a conversation is selected. */
    public static class SelectBuffer {
        public static void main(Driver driver) {
            Chat chat = new Chat(false);
            driver.event("select", () -> chat.onSelectBuffer("#rust"));
        }
    }

    /** Table 1: a message is sent. */
    public static class Send {
        public static void main(Driver driver) {
            driver.event("send", new Chat(false)::onSend);
        }
    }

    /** Table 2, 1: preferences are saved while the user types and selects. */
    public static class PreferencesTypeSelect {
        public static void main(Driver driver) {
            Chat chat = new Chat(true);
            driver.event("preferences", chat::onSavePreferences);
            driver.event("type", chat::onType);
            driver.event("select", () -> chat.onSelectBuffer("#android"));
        }
    }

    /** Table 2, 2: settings are saved while the user types. */
    public static class SettingsType {
        public static void main(Driver driver) {
            Chat chat = new Chat(true);
            driver.event("settings", chat::onSaveSettings);
            driver.event("type", chat::onType);
        }
    }

    /** Table 2, 3: a message is sent while preferences are not, a line comes, and the user types. */
    public static class SendLineType {
        public static void main(Driver driver) {
            Chat chat = new Chat(true);
            driver.event("send", chat::onSend);
            driver.event("line", chat::onLine);
            driver.event("type", chat::onType);
        }
    }

    /** Table 2, 4: four events, which the paper's tool did not decide in an hour. */
    public static class SendSelectLineType {
        public static void main(Driver driver) {
            Chat chat = new Chat(true);
            driver.event("send", chat::onSend);
            driver.event("select", () -> chat.onSelectBuffer("#android"));
            driver.event("line", chat::onLine);
            driver.event("type", chat::onType);
        }
    }

    /** Table 2, 5: four events with two of the same kind, which it did not decide either. */
    public static class SelectDoubleClickTypeTwice {
        public static void main(Driver driver) {
            Chat chat = new Chat(true);
            driver.event("select", () -> chat.onSelectBuffer("#rust"));
            driver.event("doubleClick", chat::onDoubleClick);
            driver.event("type", chat::onType);
            driver.event("typeAgain", chat::onType);
        }
    }

    private static Driver.Event send(Driver driver, Chat chat) {
        return driver.event("send", chat::onSend);
    }

    /** Table 2, 6: a name is double-clicked while a message is sent. */
    public static class SendDoubleClick {
        public static void main(Driver driver) {
            Chat chat = new Chat(false);
            driver.event("doubleClick", chat::onDoubleClick).afterStart(send(driver, chat));
        }
    }

    /** The same, repaired. */
    public static class SendDoubleClickRepaired {
        public static void main(Driver driver) {
            Chat chat = new Chat(true);
            driver.event("doubleClick", chat::onDoubleClick).afterStart(send(driver, chat));
        }
    }

    /** Table 2, 7: the user types while a message is sent. */
    public static class SendType {
        public static void main(Driver driver) {
            Chat chat = new Chat(false);
            driver.event("type", chat::onType).afterStart(send(driver, chat));
        }
    }

    /** The same, repaired. */
    public static class SendTypeRepaired {
        public static void main(Driver driver) {
            Chat chat = new Chat(true);
            driver.event("type", chat::onType).afterStart(send(driver, chat));
        }
    }
}
