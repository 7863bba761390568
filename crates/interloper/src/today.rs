//! Today's date, the only value in a report that depends on the clock.

use std::time::{SystemTime, UNIX_EPOCH};

use report::suppress::Date;

/// Returns the current day in UTC.
pub(crate) fn today() -> Date {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    day(since.as_secs() / 86_400)
}

/// Returns the day that many days after 1970-01-01, in the Gregorian calendar.
///
/// The algorithm counts years from March, so that the leap day is the last day of a year (H.
/// Hinnant's `civil_from_days`).
fn day(days: u64) -> Date {
    let days = days + 719_468;
    let (era, of_era) = (days / 146_097, days % 146_097);
    let year_of_era = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let from_march = (5 * of_year + 2) / 153;
    let day = of_year - (153 * from_march + 2) / 5 + 1;
    let month = if from_march < 10 { from_march + 3 } else { from_march - 9 };
    let year = era * 400 + year_of_era + u64::from(month <= 2);
    Date { year: year as u16, month: month as u8, day: day as u8 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_follow_the_calendar() {
        let mut expected = Date { year: 1970, month: 1, day: 1 };
        for n in 0..200_000 {
            assert_eq!(day(n), expected, "day {n}");
            let Date { year, month, day } = expected;
            let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
            let last = match month {
                2 => 28 + u8::from(leap),
                4 | 6 | 9 | 11 => 30,
                _ => 31,
            };
            expected = match (month, day) {
                (12, 31) => Date { year: year + 1, month: 1, day: 1 },
                _ if day == last => Date { year, month: month + 1, day: 1 },
                _ => Date { year, month, day: day + 1 },
            };
        }
    }
}
