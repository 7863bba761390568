//! Pages of documentation, as trees of text.
//!
//! A page of a rule, label or hint is Markdown of this repository. The explorer receives its blocks as text
//! and never as markup.

use serde::Serialize;

/// A term with a page of documentation.
pub struct Topic {
    /// The name, as reports show it.
    pub name: String,
    /// The page, in Markdown.
    pub page: String,
}

/// A block of a page.
#[derive(Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", content = "text", rename_all = "lowercase")]
pub(crate) enum Block {
    Heading(String),
    Paragraph(String),
    Item(String),
    Code(String),
    Row(Vec<String>),
}

/// Returns the blocks of a page. The pages use headings, paragraphs, lists, tables and fenced code.
pub(crate) fn blocks(page: &str) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut lines = page.lines();
    let mut paragraph: Vec<&str> = Vec::new();
    let flush = |paragraph: &mut Vec<&str>, blocks: &mut Vec<Block>| {
        if !paragraph.is_empty() {
            blocks.push(Block::Paragraph(paragraph.join(" ")));
            paragraph.clear();
        }
    };
    while let Some(line) = lines.next() {
        let trimmed = line.trim();
        let is_text = !trimmed.is_empty()
            && !["#", "- ", "```", "|"].iter().any(|mark| trimmed.starts_with(mark));
        if is_text {
            paragraph.push(trimmed);
            continue;
        }
        flush(&mut paragraph, &mut blocks);
        if trimmed.starts_with("```") {
            let code = lines.by_ref().take_while(|line| !line.trim_start().starts_with("```"));
            blocks.push(Block::Code(code.collect::<Vec<_>>().join("\n")));
        } else if trimmed.starts_with('#') {
            blocks.push(Block::Heading(trimmed.trim_start_matches('#').trim().to_owned()));
        } else if let Some(item) = trimmed.strip_prefix("- ") {
            blocks.push(Block::Item(item.to_owned()));
        } else if trimmed.starts_with('|') && !trimmed.contains("---") {
            let cells = trimmed.trim_matches('|').split('|').map(|cell| cell.trim().to_owned());
            blocks.push(Block::Row(cells.collect()));
        }
    }
    flush(&mut paragraph, &mut blocks);
    blocks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_blocks_of_text() {
        let page = "# FIFO\n\nOne line\nand more.\n\n- a <b>\n\n```trace\nx # y\n```\n| a | b |\n|---|---|\n| 1 | 2 |\n";
        let expected = [
            Block::Heading("FIFO".to_owned()),
            Block::Paragraph("One line and more.".to_owned()),
            Block::Item("a <b>".to_owned()),
            Block::Code("x # y".to_owned()),
            Block::Row(vec!["a".to_owned(), "b".to_owned()]),
            Block::Row(vec!["1".to_owned(), "2".to_owned()]),
        ];
        assert_eq!(blocks(page), expected);
    }
}
