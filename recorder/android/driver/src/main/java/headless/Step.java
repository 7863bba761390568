package headless;

import java.util.Map;

/**
 * A step of a user, one a line of a steps file.
 *
 * @param line its line, from 1
 * @param verb what is done
 * @param target a selector, an action or a time; empty if the verb takes none
 * @param text the text to type
 * @param isWaitedFor whether the app becomes quiet before the next step; not if the line ends in
 *     {@code &}
 */
record Step(int line, String verb, String target, String text, boolean isWaitedFor) {
  /** The verbs, with the number of words that follow them. */
  private static final Map<String, Integer> VERBS =
      Map.ofEntries(
          Map.entry("back", 0),
          Map.entry("broadcast", 1),
          Map.entry("click", 1),
          Map.entry("home", 0),
          Map.entry("long-press", 1),
          Map.entry("menu", 1),
          Map.entry("return", 0),
          Map.entry("rotate", 0),
          Map.entry("scroll", 1),
          Map.entry("type", 2),
          Map.entry("wait", 1),
          Map.entry("wait-for", 1));

  /** Parses a line, without white space around it. */
  static Step parse(int number, String line) {
    boolean isWaitedFor = !line.endsWith(" &");
    String text = isWaitedFor ? line : line.substring(0, line.length() - 2).strip();
    String[] words = text.split("\\s+", 2);
    Integer count = VERBS.get(words[0]);
    String rest = words.length > 1 ? words[1] : "";
    if (count == null) {
      throw new IllegalArgumentException("line " + number + ": there is no step " + words[0]);
    }
    boolean mayBeBare = words[0].equals("menu");
    if (count == 0 != rest.isEmpty() && !mayBeBare) {
      String expected = count == 0 ? " takes no words" : " needs a target";
      throw new IllegalArgumentException("line " + number + ": " + words[0] + expected);
    }
    if (count < 2) {
      return new Step(number, words[0], rest, "", isWaitedFor);
    }
    String[] both = rest.split("\\s+", 2);
    return new Step(number, words[0], both[0], both.length > 1 ? both[1] : "", isWaitedFor);
  }
}
