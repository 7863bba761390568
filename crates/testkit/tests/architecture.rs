//! ARCHITECTURE.md says who may depend on whom; the manifests agree.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

type Dependencies = BTreeMap<String, BTreeSet<String>>;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The section of ARCHITECTURE.md under a heading.
fn section(heading: &str) -> String {
    let text = read(&root().join("ARCHITECTURE.md"));
    let sections = text.split("\n## ");
    let mut found = sections.filter_map(|section| section.strip_prefix(heading));
    found.next().unwrap_or_else(|| panic!("no section {heading:?}")).to_owned()
}

/// The words in backquotes.
fn quoted(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2)
}

/// The rows of a table as first and remaining cells. The first cell names a crate.
fn rows(section: &str) -> Vec<(String, String)> {
    let rows = section.lines().filter_map(|line| line.strip_prefix("| `")?.split_once("` |"));
    rows.map(|(name, rest)| (name.to_owned(), rest.to_owned())).collect()
}

/// The crates of the workspace with their dependencies, those on a platform and optional ones
/// included, those of tests left out.
fn manifests() -> Dependencies {
    let mut all = Dependencies::new();
    for entry in fs::read_dir(root().join("crates")).expect("the crates are there") {
        let path = entry.expect("an entry").path().join("Cargo.toml");
        let manifest: toml::Table = read(&path).parse().expect("a manifest is TOML");
        let mut found = BTreeSet::new();
        let mut add = |table: &toml::Table| {
            if let Some(table) = table.get("dependencies").and_then(toml::Value::as_table) {
                found.extend(table.keys().cloned());
            }
        };
        add(&manifest);
        let targets = manifest.get("target").and_then(toml::Value::as_table);
        targets.into_iter().flat_map(|t| t.values()).filter_map(|t| t.as_table()).for_each(add);
        let name = manifest["package"]["name"].as_str().expect("a package has a name");
        all.insert(name.to_owned(), found);
    }
    all
}

#[test]
fn the_table_is_what_the_manifests_say() {
    let manifests = manifests();
    let own: BTreeSet<&String> = manifests.keys().collect();
    let mut stated = Dependencies::new();
    for (name, rest) in rows(&section("Who may depend on whom")) {
        let above: BTreeSet<String> = quoted(&rest).map(str::to_owned).collect();
        for dependency in &above {
            assert!(stated.contains_key(dependency), "{name} stands above {dependency}");
        }
        assert!(stated.insert(name.clone(), above).is_none(), "{name} has two rows");
    }
    let actual: Dependencies = manifests
        .iter()
        .map(|(name, all)| {
            (name.clone(), all.iter().filter(|d| own.contains(d)).cloned().collect())
        })
        .collect();
    assert_eq!(stated, actual);
}

#[test]
fn only_tests_use_what_is_for_tests_and_only_the_binary_uses_anyhow() {
    for (name, dependencies) in manifests() {
        for tool in ["testkit", "baselines"] {
            assert!(!dependencies.contains(tool), "{name} depends on {tool}");
        }
        assert!(name == "interloper" || !dependencies.contains("anyhow"), "{name} uses anyhow");
    }
}

#[test]
fn the_code_map_has_every_crate() {
    let mapped: BTreeSet<String> =
        rows(&section("Code map")).into_iter().map(|row| row.0).collect();
    assert_eq!(mapped, manifests().into_keys().collect::<BTreeSet<String>>());
}
