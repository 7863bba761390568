//! The anomalies of a native file, and how the reader handles each.

trace::codes! {
    UNCLOSED_FILE = "unclosed-file", Warning,
        "The file has no end block: its writer was stopped, or is still writing, or the file was cut between two blocks. All operations up to there are read.";
    CUT_BLOCK = "cut-block", Error,
        "The file ends inside a block. The operations before those of the block are read.";
    DAMAGED_BLOCK = "damaged-block", Error,
        "A block's checksum does not hold, or no block stands where one should. The operations before those of the block are read; `interloper doctor --repair` may save more.";
    MALFORMED_BLOCK = "malformed-block", Error,
        "A block's checksums hold but its contents contradict the format: its writer is at fault. The operations before those of the block are read.";
    NEWER_BLOCK = "newer-block", Error,
        "A block was written by a newer version and says that it cannot be skipped. The operations before it are read.";
    SKIPPED_BLOCK = "skipped-block", Info,
        "Blocks of a type this version does not know were skipped.";
    LOST_OPERATIONS = "lost-operations", Error,
        "Operations that the file once held cannot be read. The report speaks of those before them.";
    LOST_BLOCKS = "lost-blocks", Error,
        "The end block lists other blocks than the file holds: blocks are missing, were added, or stand in another order. Names may stand for others than the recorder meant.";
    DATA_AFTER_END = "data-after-end", Error,
        "Bytes follow the end block. They are not read: the file may be two recordings, one after the other.";
    STACK_MISMATCH = "stack-mismatch", Warning,
        "A function is entered with a stack that does not continue the stack of its thread. The function is read as entered on top of the thread's stack.";
    TOO_MANY_OPERATIONS = "too-many-operations", Error,
        "The file holds more operations than fit in memory tables with 32-bit numbers. The first of them are read; the stream engine reads all.";
}
