//! Writes a long STD log: `std_log OPERATIONS THREADS LOCATIONS DISCIPLINED > FILE`.
//!
//! A share of DISCIPLINED (0 to 1) of the accesses cannot race; see `testkit::threads`.

use std::io::{BufWriter, Write};

use testkit::threads::{Shape, write_std};

fn main() -> std::io::Result<()> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [operations, threads, locations, disciplined] = args.as_slice() else {
        eprintln!("usage: std_log OPERATIONS THREADS LOCATIONS DISCIPLINED > FILE");
        std::process::exit(2);
    };
    let number = |text: &String| text.parse().expect("a number");
    let mut shape =
        Shape::long(operations.parse().expect("a number"), number(threads), number(locations));
    shape.disciplined = disciplined.parse().expect("a share from 0 to 1");
    let mut out = BufWriter::with_capacity(1 << 20, std::io::stdout().lock());
    write_std(1, &shape, &mut out)?;
    out.flush()
}
