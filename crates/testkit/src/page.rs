//! Markdown pages that are documentation and test at once: their fenced blocks.

/// A fenced block of a page.
pub struct Block<'a> {
    /// The `##` heading above the block.
    pub heading: &'a str,
    /// Whether there is prose between the heading, or the last block, and this one.
    pub introduced: bool,
    /// The text after the opening fence.
    pub tag: &'a str,
    /// The line of the opening fence, from 1.
    pub line: usize,
    /// The content of the block.
    pub text: String,
}

/// The fenced blocks of a page.
pub fn blocks(page: &str) -> Vec<Block<'_>> {
    let mut blocks: Vec<Block<'_>> = Vec::new();
    let mut heading = "";
    let mut introduced = false;
    let mut open = false;
    for (i, line) in page.lines().enumerate() {
        if let Some(tag) = line.strip_prefix("```") {
            if !open {
                let (line, text) = (i + 1, String::new());
                blocks.push(Block { heading, introduced, tag, line, text });
            }
            open = !open;
            introduced = false;
        } else if open {
            let text = &mut blocks.last_mut().expect("an open block").text;
            text.push_str(line);
            text.push('\n');
        } else if let Some(title) = line.strip_prefix("## ") {
            heading = title;
            introduced = false;
        } else {
            introduced |= !line.is_empty();
        }
    }
    blocks
}

/// Checks that every operation line of a trace block ends in `# N`, its number, so that readers
/// need not count. Panics if one does not.
pub fn check_numbers(place: &str, trace: &str) {
    let header = ["interloper-trace", "model", "process", "location"];
    let is_operation =
        |line: &&str| line.split_whitespace().next().is_some_and(|w| !header.contains(&w));
    for (number, line) in trace.lines().filter(is_operation).enumerate() {
        let comment = line.split_once('#').map_or("", |(_, comment)| comment);
        let said = comment.split_whitespace().next();
        assert!(said == Some(&number.to_string()), "{place}: {line:?} is operation {number}");
    }
}
