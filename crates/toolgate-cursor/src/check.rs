//! The unkeyed check byte that tells a slip of the copying hand from a forgery.
//!
//! CRC-8/SAE-J1850: polynomial x^8 + x^4 + x^3 + x^2 + 1, most significant bit
//! first, initial value and final xor 0xFF. The polynomial is primitive and the
//! check byte follows the bytes it covers, so in base64url (most significant bit
//! first, 6 bits a character) it always detects
//!
//! * any one wrong character: a burst of at most 6 bits, and a CRC of degree 8
//!   detects every burst of up to 8;
//! * any two different characters exchanged, however far apart: the error is
//!   e(x) * (x^(6k) + 1) with e of degree at most 5, and x has order 255, which
//!   divides 6k for no k below 85.
//!
//! Any other slip is missed once in 256 times, and is then refused by the tag.

/// The contribution of a byte followed by `i` zero bytes, for `i` in 0..8.
const TABLES: [[u8; 256]; 8] = tables();

const POLYNOMIAL: u8 = 0x1D;

const fn tables() -> [[u8; 256]; 8] {
    let mut tables = [[0_u8; 256]; 8];
    let mut byte = 0_u8;
    loop {
        let mut crc = byte;
        let mut bit = 0;
        while bit < 8 {
            crc = if crc & 0x80 == 0 {
                crc << 1
            } else {
                (crc << 1) ^ POLYNOMIAL
            };
            bit += 1;
        }
        tables[0][byte as usize] = crc;
        if byte == 255 {
            break;
        }
        byte += 1;
    }
    let mut zeros = 1;
    while zeros < 8 {
        let mut byte = 0;
        while byte < 256 {
            tables[zeros][byte] = tables[0][tables[zeros - 1][byte] as usize];
            byte += 1;
        }
        zeros += 1;
    }
    tables
}

/// The check byte of `bytes`, eight bytes a step (O(n)).
pub(crate) fn check_byte(bytes: &[u8]) -> u8 {
    let mut crc = 0xFF_u8;
    let (eights, rest) = bytes.as_chunks::<8>();
    for eight in eights {
        crc = TABLES[7][usize::from(eight[0] ^ crc)]
            ^ TABLES[6][usize::from(eight[1])]
            ^ TABLES[5][usize::from(eight[2])]
            ^ TABLES[4][usize::from(eight[3])]
            ^ TABLES[3][usize::from(eight[4])]
            ^ TABLES[2][usize::from(eight[5])]
            ^ TABLES[1][usize::from(eight[6])]
            ^ TABLES[0][usize::from(eight[7])];
    }
    for byte in rest {
        crc = TABLES[0][usize::from(byte ^ crc)];
    }
    crc ^ 0xFF
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_the_catalogued_crc() {
        // The check value of CRC-8/SAE-J1850 in the catalogue of parametrised CRCs.
        assert_eq!(check_byte(b"123456789"), 0x4B);
    }

    #[test]
    fn eight_at_a_time_is_one_at_a_time() {
        let bytes: Vec<u8> = (0..=40_u8).map(|i| i.wrapping_mul(97) ^ 0x5A).collect();
        for len in 0..bytes.len() {
            let mut crc = 0xFF_u8;
            for byte in &bytes[..len] {
                crc ^= byte;
                for _ in 0..8 {
                    crc = if crc & 0x80 == 0 {
                        crc << 1
                    } else {
                        (crc << 1) ^ POLYNOMIAL
                    };
                }
            }
            assert_eq!(check_byte(&bytes[..len]), crc ^ 0xFF, "length {len}");
        }
    }

    #[test]
    fn the_polynomial_is_primitive() {
        let mut power = 1_u8;
        let mut order = 0;
        loop {
            power = TABLES_STEP[usize::from(power)];
            order += 1;
            if power == 1 {
                break;
            }
        }
        assert_eq!(order, 255);
    }

    /// Multiplication by x.
    const TABLES_STEP: [u8; 256] = {
        let mut step = [0_u8; 256];
        let mut byte = 0_u8;
        loop {
            step[byte as usize] = if byte & 0x80 == 0 {
                byte << 1
            } else {
                (byte << 1) ^ POLYNOMIAL
            };
            if byte == 255 {
                break step;
            }
            byte += 1;
        }
    };
}
