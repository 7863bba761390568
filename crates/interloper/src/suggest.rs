//! Suggests the name that a user probably meant.

/// Returns the known name nearest to a misspelt one, if any is near.
pub(crate) fn nearest<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let name = name.to_lowercase();
    known
        .map(|candidate| (strsim::jaro_winkler(&name, &candidate.to_lowercase()), candidate))
        .filter(|&(similarity, _)| similarity > 0.8)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, candidate)| candidate)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_near_is_suggested() {
        let known = ["model", "rules", "fail-on", "limit"];
        assert_eq!(nearest("modle", known.into_iter()), Some("model"));
        assert_eq!(nearest("fail_on", known.into_iter()), Some("fail-on"));
        assert_eq!(nearest("MODEL", known.into_iter()), Some("model"));
        assert_eq!(nearest("zebra", known.into_iter()), None);
    }
}
