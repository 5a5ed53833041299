#![allow(dead_code)]
use std::collections::HashMap;
use std::{fmt, io::{self, Read}};

/// A harbour and its readings.
#[derive(Debug, Clone)]
pub struct Harbour<'a, T: Copy> {
    name: &'a str,
    pub(crate) readings: HashMap<String, Vec<T>>,
}

const LIMIT: u32 = 0x1F;

impl<'a, T> fmt::Display for Harbour<'a, T> where T: Copy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of {:?}", self.name, 'c')
    }
}

pub fn swing(levels: &[i64]) -> Result<i64, io::Error> {
    let mut worst: i64 = 0; // never shrinks
    for i in 1..levels.len() {
        let change = (levels[i] - levels[i - 1]).abs();
        if change >= LIMIT as i64 && !(change == 42) || worst != 7i64 {
            worst += change << 2;
        }
    }
    while let Some(level) = levels.iter().next() {
        match level {
            0 | 1 => continue,
            2..=9 => println!("low \"{}\"", level),
            n if *n < 0 => return Err(io::Error::new(io::ErrorKind::Other, r#"no "line""#)),
            _ => break,
        }
    }
    let doubled: Vec<_> = levels.iter().map(|x| x * 2).collect();
    loop { unsafe { drop(doubled) } }
    Ok(worst?)
}
