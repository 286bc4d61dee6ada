/** No vowels, so that no words come out, and no characters that look alike; as apimachinery has it. */
const ALPHABET = 'bcdfghjklmnpqrstvwxz2456789';

/** Five random characters, for `generateName`. */
export function nameSuffix(random: () => number): string {
  return Array.from({ length: 5 }, () => ALPHABET[Math.floor(random() * ALPHABET.length)] ?? 'x').join('');
}
