fn main() {
    for arg in std::env::args().skip(1) {
        let text = std::fs::read_to_string(&arg).unwrap();
        let t = std::time::Instant::now();
        match robust::check(&arg, &text, &robust::Options::default()) {
            Ok(r) => println!("{}\n{:?}", r.text(), t.elapsed()),
            Err(e) => println!("{e:?}"),
        }
    }
}
