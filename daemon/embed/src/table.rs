//! Reads the table of a model, a row for each token, from the mapped file.
//!
//! Numbers may have any of the widths of published models, and are widened when they are added up. A table
//! may have a weight for each token and a second table that says which row a token has (both from model2vec's
//! smaller models).

use std::ops::Range;
use std::path::Path;

use hob_base::Region;
use safetensors::SafeTensors;
use safetensors::tensor::{Dtype, TensorView};

use crate::error::ModelError;

/// The names that the table may have, in order of preference: model2vec, sentence-transformers, wordllama.
const NAMES: [&str; 3] = ["embeddings", "embedding.weight", "0"];

/// Longest row of an embedding; a longer one belongs to another kind of table.
const DIMS_MAX: usize = 1 << 14;

/// A mapped table of rows; see the module's header.
#[derive(Debug)]
pub(crate) struct Table {
    region: Region,
    data: Range<usize>,
    number: Number,
    rows: usize,
    dims: usize,
    /// The weight of each token, by token; `None` if all weigh 1.
    weights: Option<Box<[f32]>>,
    /// The row of each token, by token; `None` if token and row are one number.
    mapping: Option<Box<[u32]>>,
}

/// The type of the numbers in the file; all are little-endian.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Number {
    F32,
    F16,
    Bf16,
    I8,
}

impl Number {
    fn from_dtype(kind: Dtype) -> Option<Self> {
        match kind {
            Dtype::F32 => Some(Self::F32),
            Dtype::F16 => Some(Self::F16),
            Dtype::BF16 => Some(Self::Bf16),
            Dtype::I8 => Some(Self::I8),
            _ => None,
        }
    }

    fn byte_width(self) -> usize {
        match self {
            Self::F32 => 4,
            Self::F16 | Self::Bf16 => 2,
            Self::I8 => 1,
        }
    }
}

impl Table {
    /// Opens the file and reads its layout.
    pub(crate) fn open(file: &Path) -> Result<Self, ModelError> {
        let unreadable = |source| ModelError::Unreadable { file: file.to_path_buf(), source };
        let region = Region::open(file).map_err(unreadable)?;
        let wrong = |why| ModelError::Wrong {
            file: file.to_path_buf(),
            expected: "a table of embeddings (safetensors)",
            why,
        };
        let layout = Layout::read(&region).map_err(wrong)?;
        let Layout { data, number, rows, dims, weights, mapping } = layout;
        Ok(Self { region, data, number, rows, dims, weights, mapping })
    }

    pub(crate) fn dims(&self) -> usize {
        self.dims
    }

    /// Returns the number of tokens that the table has a row for.
    pub(crate) fn tokens(&self) -> usize {
        self.mapping.as_ref().map_or(self.rows, |mapping| mapping.len())
    }

    /// Returns the bytes of the whole file.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.region
    }

    /// Returns the private memory in bytes.
    pub(crate) fn private_bytes(&self) -> usize {
        let of = |length: Option<usize>| length.unwrap_or(0) * 4;
        self.region.private_bytes()
            + of(self.weights.as_ref().map(|it| it.len()))
            + of(self.mapping.as_ref().map(|it| it.len()))
    }

    /// Adds a token's row to `sum`; returns true if there is one.
    pub(crate) fn add(&self, token: u32, sum: &mut [f32]) -> bool {
        let Some(row) = self.token_row(token) else { return false };
        let weight = self.weights.as_ref().map_or(1.0, |all| all.get(token as usize).copied().unwrap_or(1.0));
        let mut add = |values: &mut dyn Iterator<Item = f32>| {
            for (sum, value) in sum.iter_mut().zip(values) {
                *sum += weight * value;
            }
        };
        match self.number {
            Number::F32 => add(&mut number_chunks(row).map(f32::from_le_bytes)),
            Number::F16 => add(&mut number_chunks(row).map(|bytes| half_to_f32(u16::from_le_bytes(bytes)))),
            Number::Bf16 => {
                add(&mut number_chunks(row)
                    .map(|bytes| f32::from_bits(u32::from(u16::from_le_bytes(bytes)) << 16)));
            }
            Number::I8 => add(&mut number_chunks(row).map(|[byte]| f32::from(byte.cast_signed()))),
        }
        true
    }

    fn token_row(&self, token: u32) -> Option<&[u8]> {
        let row = match &self.mapping {
            Some(mapping) => *mapping.get(token as usize)?,
            None => token,
        };
        let length = self.dims * self.number.byte_width();
        let from = (row as usize).checked_mul(length)?;
        self.region.get(self.data.clone())?.get(from..from.checked_add(length)?)
    }
}

fn number_chunks<const WIDTH: usize>(row: &[u8]) -> impl Iterator<Item = [u8; WIDTH]> + '_ {
    row.as_chunks::<WIDTH>().0.iter().copied()
}

/// Converts a number of IEEE 754's half precision.
fn half_to_f32(bits: u16) -> f32 {
    let sign = u32::from(bits & 0x8000) << 16;
    let magnitude = u32::from(bits & 0x7fff);
    let wide = match magnitude {
        // Subnormal: the fraction counts steps of 2^-24, and there are few enough for the product to be exact.
        0..0x400 => (magnitude as f32 * (1.0 / 16_777_216.0)).to_bits(),
        0x400..0x7c00 => (magnitude << 13) + (112 << 23),
        _ => (magnitude << 13) | 0x7f80_0000,
    };
    f32::from_bits(sign | wide)
}

/// The place of the table in the file, and its other properties.
struct Layout {
    data: Range<usize>,
    number: Number,
    rows: usize,
    dims: usize,
    weights: Option<Box<[f32]>>,
    mapping: Option<Box<[u32]>>,
}

impl Layout {
    fn read(bytes: &[u8]) -> Result<Self, String> {
        let tensors = SafeTensors::deserialize(bytes).map_err(|error| error.to_string())?;
        let table = NAMES.iter().find_map(|name| tensors.tensor(name).ok());
        let table = table.ok_or_else(|| format!("it has none of the tensors {}", NAMES.join(", ")))?;
        let [rows, dims] = *table.shape() else {
            return Err(format!("its table has {} dimensions, not 2", table.shape().len()));
        };
        if rows == 0 || dims == 0 || dims > DIMS_MAX {
            return Err(format!("its table has {rows} rows of {dims} numbers"));
        }
        let number = Number::from_dtype(table.dtype())
            .ok_or_else(|| format!("its numbers are {:?}, not F32, F16, BF16 or I8", table.dtype()))?;
        let start = table.data().as_ptr() as usize - bytes.as_ptr() as usize;
        Ok(Self {
            data: start..start + table.data().len(),
            number,
            rows,
            dims,
            weights: tensors.tensor("weights").ok().map(|view| read_weights(&view)).transpose()?,
            mapping: tensors.tensor("mapping").ok().map(|view| read_mapping(&view)).transpose()?,
        })
    }
}

fn read_weights(view: &TensorView<'_>) -> Result<Box<[f32]>, String> {
    let data = view.data();
    match view.dtype() {
        Dtype::F64 => Ok(number_chunks(data).map(|bytes| f64::from_le_bytes(bytes) as f32).collect()),
        Dtype::F32 => Ok(number_chunks(data).map(f32::from_le_bytes).collect()),
        Dtype::F16 => Ok(number_chunks(data).map(|bytes| half_to_f32(u16::from_le_bytes(bytes))).collect()),
        other => Err(format!("its weights are {other:?}, not F64, F32 or F16")),
    }
}

fn read_mapping(view: &TensorView<'_>) -> Result<Box<[u32]>, String> {
    // An impossible row counts as a missing one.
    let row = |number: i64| u32::try_from(number).unwrap_or(u32::MAX);
    match view.dtype() {
        Dtype::I64 => Ok(number_chunks(view.data()).map(|bytes| row(i64::from_le_bytes(bytes))).collect()),
        Dtype::I32 => {
            Ok(number_chunks(view.data()).map(|bytes| row(i32::from_le_bytes(bytes).into())).collect())
        }
        other => Err(format!("its mapping is {other:?}, not I64 or I32")),
    }
}

#[cfg(test)]
mod tests {
    use super::half_to_f32;

    #[test]
    fn halves_are_what_the_standard_says() {
        for (bits, value) in [
            (0x0000, 0.0),
            (0x0001, 5.960_464_5e-8),
            (0x03ff, 6.097_555e-5),
            (0x0400, 6.103_515_6e-5),
            (0x3c00, 1.0),
            (0x3555, 0.333_251_95),
            (0xc000, -2.0),
            (0x7bff, 65_504.0),
            (0x7c00, f32::INFINITY),
        ] {
            assert_eq!(half_to_f32(bits), value, "{bits:#06x}");
        }
        assert!(half_to_f32(0x7e00).is_nan());
    }
}
