//! Defines vectors of length one, and the compact form in which hob stores many of them.
//!
//! Sums go from the first number to the last, products are not fused, and roots are exact in IEEE 754: the
//! same model and the same text give the same bits everywhere. Stored vectors have a byte for each number; a
//! comparison of two uses whole numbers until the last step.

/// A vector of length one; all zero for a text without a known word.
#[derive(Clone, Debug, PartialEq)]
pub struct Vector(Box<[f32]>);

impl Vector {
    /// Scales these numbers to length one; all zero stay zero.
    #[must_use]
    pub fn new(mut numbers: Vec<f32>) -> Self {
        let length = numbers.iter().fold(0.0_f32, |sum, number| sum + number * number).sqrt();
        let is_one = length.is_finite() && length > 0.0;
        for number in &mut numbers {
            *number = if is_one { *number / length } else { 0.0 };
        }
        Self(numbers.into())
    }

    /// Returns the numbers; the sum of their squares is one, or zero.
    #[must_use]
    pub fn numbers(&self) -> &[f32] {
        &self.0
    }

    /// Returns true if all numbers are zero, as for a text without known words.
    #[must_use]
    pub fn is_nothing(&self) -> bool {
        self.0.iter().all(|number| *number == 0.0)
    }
}

/// Returns the cosine of the angle between two vectors, -1 to 1; 0 if one of them is zero or of another
/// model.
#[must_use]
pub fn similarity(a: &Vector, b: &Vector) -> f32 {
    if a.0.len() != b.0.len() {
        return 0.0;
    }
    a.0.iter().zip(&b.0).fold(0.0, |sum, (a, b)| sum + a * b)
}

/// Vectors in their stored form: a byte for each number and four for the length, one after the other.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Codes {
    codes: Vec<i8>,
    /// One divided by the length of each vector; 0 for a zero vector.
    scales: Vec<f32>,
    dims: usize,
}

impl Codes {
    /// Creates an empty list of vectors of `dims` numbers each.
    #[must_use]
    pub fn new(dims: usize) -> Self {
        Self { codes: Vec::new(), scales: Vec::new(), dims }
    }

    /// Appends a vector.
    ///
    /// # Panics
    /// When the vector is of another model, because a caller that mixes two models has a bug.
    pub fn push(&mut self, vector: &Vector) {
        assert_eq!(vector.0.len(), self.dims, "vectors of one model are kept together");
        let largest = vector.0.iter().fold(0.0_f32, |largest, number| largest.max(number.abs()));
        let step = if largest > 0.0 { 127.0 / largest } else { 0.0 };
        let code = |number: &f32| (number * step).round_ties_even() as i8;
        let from = self.codes.len();
        self.codes.extend(vector.0.iter().map(code));
        let square = dot_product(&self.codes[from..], &self.codes[from..]);
        self.scales.push(if square > 0 { 1.0 / (square as f32).sqrt() } else { 0.0 });
    }

    /// Returns the number of vectors.
    #[must_use]
    pub fn len(&self) -> usize {
        self.scales.len()
    }

    /// Returns true if there are no vectors.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.scales.is_empty()
    }

    /// Calls `each` with the index of each vector and its similarity to the first vector of `to`: that of
    /// [`similarity`], but for rounding.
    pub fn compare(&self, to: &Self, mut each: impl FnMut(usize, f32)) {
        let (Some(scale), false) = (to.scales.first(), self.dims == 0 || self.dims != to.dims) else {
            return;
        };
        let query = &to.codes[..self.dims];
        for (place, codes) in self.codes.chunks_exact(self.dims).enumerate() {
            each(place, dot_product(codes, query) as f32 * self.scales[place] * scale);
        }
    }

    /// Returns the memory in bytes.
    #[must_use]
    pub fn heap_bytes(&self) -> usize {
        self.codes.capacity() + self.scales.capacity() * 4
    }

    /// Frees the unused capacity.
    pub fn free_spare_room(&mut self) {
        self.codes.shrink_to_fit();
        self.scales.shrink_to_fit();
    }
}

/// Number of sums side by side: as many as a processor adds at once.
const LANES: usize = 16;

/// Returns the sum of products. A product of two bytes fits into two bytes, which makes this fast; sums of
/// the widest model's vectors are far below the limit of four bytes.
fn dot_product(a: &[i8], b: &[i8]) -> i32 {
    let (a, a_rest) = a.as_chunks::<LANES>();
    let (b, b_rest) = b.as_chunks::<LANES>();
    let mut sums = [0_i32; LANES];
    for (a, b) in a.iter().zip(b) {
        for (sum, (a, b)) in sums.iter_mut().zip(a.iter().zip(b)) {
            *sum += i32::from(i16::from(*a) * i16::from(*b));
        }
    }
    let rest: i32 = a_rest.iter().zip(b_rest).map(|(a, b)| i32::from(*a) * i32::from(*b)).sum();
    sums.iter().sum::<i32>() + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_vector_has_length_one_or_is_nothing() {
        let vector = Vector::new(vec![3.0, 4.0]);
        assert_eq!(vector.numbers(), [0.6, 0.8]);
        assert!(!vector.is_nothing());
        for broken in [vec![0.0, 0.0], vec![f32::NAN, 1.0], vec![f32::INFINITY, 1.0], vec![f32::MAX; 2]] {
            assert!(Vector::new(broken).is_nothing());
        }
    }

    #[test]
    fn kept_vectors_compare_as_the_exact_ones_do() {
        let vectors: Vec<Vector> = (0..50_u32)
            .map(|seed| {
                let number = |i: u32| f32::from((seed.wrapping_mul(31) ^ i.wrapping_mul(17)) as u8) - 127.0;
                Vector::new((0..64).map(number).collect())
            })
            .collect();
        let mut kept = Codes::new(64);
        vectors.iter().for_each(|vector| kept.push(vector));
        for vector in &vectors {
            let mut query = Codes::new(64);
            query.push(vector);
            kept.compare(&query, |place, found| {
                let exact = similarity(&vectors[place], vector);
                assert!((found - exact).abs() < 0.02, "{found} is not {exact}");
            });
        }
        assert_eq!(kept.len(), 50);
    }

    #[test]
    fn products_are_summed_up_to_the_last() {
        for length in [0, 1, 15, 16, 17, 48, 50] {
            let numbers: Vec<i8> = (0..length).map(|i| (i * 5 % 255 - 127) as i8).collect();
            let other: Vec<i8> = numbers.iter().rev().copied().collect();
            let plain: i32 = numbers.iter().zip(&other).map(|(a, b)| i32::from(*a) * i32::from(*b)).sum();
            assert_eq!(dot_product(&numbers, &other), plain, "{length}");
        }
        assert_eq!(dot_product(&[-128; 64], &[-128; 64]), 64 * 16_384);
    }

    #[test]
    fn nothing_is_like_nothing() {
        let mut kept = Codes::new(2);
        kept.push(&Vector::new(vec![0.0, 0.0]));
        kept.push(&Vector::new(vec![1.0, 0.0]));
        let mut all = Vec::new();
        kept.compare(&kept.clone(), |place, found| all.push((place, found)));
        assert_eq!(all, [(0, 0.0), (1, 0.0)]);
        assert_eq!(similarity(&Vector::new(vec![1.0]), &Vector::new(vec![1.0, 0.0])), 0.0);
    }
}
