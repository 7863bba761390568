//! Compares what programs show, as pictures.
//!
//! A picture is compared in square tiles. A tile counts as changed if it differs between the recorded order and
//! every replay in the other one, and is the same in all replays in the recorded order. Tiles that touch are
//! framed together.
//!
//! Cost: O(pixels) a picture.

use std::collections::BTreeSet;
use std::sync::Arc;

/// The side of a tile, in pixels.
const TILE: u32 = 16;
/// The largest picture that is compared, in bytes.
const MOST: usize = 256 << 20;

/// A picture.
#[derive(Clone, PartialEq, Eq)]
pub struct Picture {
    width: u32,
    height: u32,
    /// The number of bytes in a row.
    stride: usize,
    pixels: Arc<[u8]>,
}

/// A part of a picture: left, top, width and height in pixels.
pub type Frame = [u32; 4];

/// A tile: its column and its row.
type Tile = (u32, u32);

impl std::fmt::Debug for Picture {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Picture({}x{})", self.width, self.height)
    }
}

impl Picture {
    /// Reads a PNG. Returns none if it cannot be read, or is very large.
    pub fn read(bytes: &[u8]) -> Option<Self> {
        let mut reader = png::Decoder::new(std::io::Cursor::new(bytes)).read_info().ok()?;
        let size = reader.output_buffer_size().filter(|size| *size <= MOST)?;
        let mut pixels = vec![0; size];
        let info = reader.next_frame(&mut pixels).ok()?;
        pixels.truncate(info.buffer_size());
        let (width, height, stride) = (info.width, info.height, info.line_size);
        Some(Self { width, height, stride, pixels: pixels.into() })
    }

    /// The bytes of a row of pixels, without those to the left of a column and from another one on.
    fn row(&self, y: u32, from: u32, to: u32) -> &[u8] {
        let bytes = self.stride / self.width.max(1) as usize;
        let start = y as usize * self.stride;
        &self.pixels[start + from as usize * bytes..start + to as usize * bytes]
    }

    /// The tiles in which two pictures differ: all of them, if their sizes differ.
    fn differs(&self, other: &Self) -> BTreeSet<Tile> {
        let same_size =
            (self.width, self.height, self.stride) == (other.width, other.height, other.stride);
        let mut found = BTreeSet::new();
        for row in 0..self.height.div_ceil(TILE) {
            for column in 0..self.width.div_ceil(TILE) {
                let (left, top) = (column * TILE, row * TILE);
                let (right, bottom) = (self.width.min(left + TILE), self.height.min(top + TILE));
                let is_same = |y: u32| self.row(y, left, right) == other.row(y, left, right);
                if !same_size || !(top..bottom).all(is_same) {
                    found.insert((column, row));
                }
            }
        }
        found
    }
}

/// The parts that differ between the recorded order and the other one.
pub(crate) fn changed(recorded: &[&Picture], flips: &[&Picture]) -> Vec<Frame> {
    let (Some((first, others)), Some((flip, more))) = (recorded.split_first(), flips.split_first())
    else {
        return Vec::new();
    };
    let mut tiles = first.differs(flip);
    for again in more {
        let differs = first.differs(again);
        tiles.retain(|tile| differs.contains(tile));
    }
    for other in others {
        let noise = first.differs(other);
        tiles.retain(|tile| !noise.contains(tile));
    }
    frames(tiles)
}

/// Frames tiles that touch together.
fn frames(mut tiles: BTreeSet<Tile>) -> Vec<Frame> {
    let mut frames = Vec::new();
    while let Some(first) = tiles.pop_first() {
        let (mut left, mut right, mut top, mut bottom) = (first.0, first.0, first.1, first.1);
        let mut next = vec![first];
        while let Some((column, row)) = next.pop() {
            (left, right) = (left.min(column), right.max(column));
            (top, bottom) = (top.min(row), bottom.max(row));
            for x in column.saturating_sub(1)..=column + 1 {
                for y in row.saturating_sub(1)..=row + 1 {
                    next.extend(tiles.take(&(x, y)));
                }
            }
        }
        let (width, height) = ((right - left + 1) * TILE, (bottom - top + 1) * TILE);
        frames.push([left * TILE, top * TILE, width, height]);
    }
    frames
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A grey picture of 64 by 48 pixels with some white ones.
    fn picture(white: &[(usize, usize)]) -> Picture {
        let mut pixels = vec![128; 64 * 48];
        for (x, y) in white {
            pixels[y * 64 + x] = 255;
        }
        Picture { width: 64, height: 48, stride: 64, pixels: pixels.into() }
    }

    #[test]
    fn what_all_flips_change_and_nothing_else_is_framed() {
        let plain = picture(&[]);
        let moved = picture(&[(1, 1), (17, 2), (60, 40)]);
        let again = picture(&[(2, 1), (18, 2)]);
        assert_eq!(changed(&[&plain], &[&moved]), [[0, 0, 32, 16], [48, 32, 16, 16]]);
        assert_eq!(changed(&[&plain], &[&moved, &again]), [[0, 0, 32, 16]]);
        let noisy = picture(&[(20, 5)]);
        assert_eq!(changed(&[&plain, &noisy], &[&moved, &again]), [[0, 0, 16, 16]]);
        assert_eq!(changed(&[&plain], &[&plain]), [[0; 4]; 0]);
        assert_eq!(changed(&[], &[&plain]), [[0; 4]; 0]);
    }

    #[test]
    fn another_size_differs_everywhere_and_text_is_no_picture() {
        let small = Picture { width: 8, height: 8, stride: 8, pixels: vec![0; 64].into() };
        assert_eq!(changed(&[&picture(&[])], &[&small]), [[0, 0, 64, 48]]);
        assert_eq!(Picture::read(b"no picture"), None);
    }

    #[test]
    fn a_png_is_read() {
        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, 64, 48);
        encoder.set_color(png::ColorType::Grayscale);
        encoder.set_depth(png::BitDepth::Eight);
        let wanted = picture(&[(3, 4)]);
        let mut writer = encoder.write_header().expect("a header");
        writer.write_image_data(&wanted.pixels).expect("pixels");
        writer.finish().expect("an end");
        assert_eq!(Picture::read(&bytes), Some(wanted));
    }
}
