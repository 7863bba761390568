//! The pictures of races that were shown to be harmful: files in a folder, or parts of the report.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use report::replay::PicturesEntry;

use super::Found;

impl Found {
    /// Writes the pictures to a folder, and names the files in the evidence.
    pub(crate) fn draw(&mut self, folder: &Path) -> Result<()> {
        let place = || format!("cannot write to {}", folder.display());
        fs::create_dir_all(folder).with_context(place)?;
        for (id, pictures) in &self.pictures {
            let write = |order: &str, picture: &[u8]| -> Result<String> {
                let file = folder.join(format!("{id}-{order}.png"));
                fs::write(&file, picture).with_context(place)?;
                Ok(file.display().to_string())
            };
            let recorded = write("recorded", &pictures.recorded)?;
            let flipped = write("flipped", &pictures.flipped)?;
            let changed = pictures.changed.clone();
            if let Some(entry) = self.evidence.get_mut(id) {
                entry.pictures = Some(PicturesEntry { recorded, flipped, changed });
            }
        }
        Ok(())
    }

    /// Puts the pictures into the evidence.
    pub(crate) fn embed(&mut self) {
        let address = |png: &[u8]| format!("data:image/png;base64,{}", BASE64.encode(png));
        for (id, pictures) in &self.pictures {
            let entry = PicturesEntry {
                recorded: address(&pictures.recorded),
                flipped: address(&pictures.flipped),
                changed: pictures.changed.clone(),
            };
            if let Some(evidence) = self.evidence.get_mut(id) {
                evidence.pictures = Some(entry);
            }
        }
    }
}
