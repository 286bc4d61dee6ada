const FORM = /^([+-]?)(\d*)(?:\.(\d*))?([eEinumkKMGTP]*[-+]?\d*)$/;
const NANO = 10n ** 9n;
/** Powers of 1000, from nano on. */
const DECIMAL = ['n', 'u', 'm', '', 'k', 'M', 'G', 'T', 'P', 'E'];
/** Powers of 1024. */
const BINARY = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'];

type Format = 'decimal' | 'exponent' | 'binary';

/** A resource.Quantity in the form that Kubernetes writes: `0.5` as `500m`. Throws Error in its words. */
export function canonicalQuantity(text: string): string {
  const { nano, sign, format } = parse(text);
  if (nano === 0n) return '0';
  return sign + (format === 'binary' ? binary(nano) : decimal(nano, format));
}

/** A resource.Quantity as a number of billionths, to compare it. Throws Error in the words of Kubernetes. */
export function quantityValue(text: string): bigint {
  const { nano, sign } = parse(text);
  return sign === '-' ? -nano : nano;
}

function parse(text: string): { nano: bigint; sign: string; format: Format } {
  const [match, sign, whole = '', fraction = '', suffix = ''] = FORM.exec(text) ?? [];
  if (match === undefined || match === '')
    throw new Error("quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'");
  const { format, exponent } = interpret(suffix);
  const digits = BigInt(`${whole}${fraction}` === '' ? '0' : `${whole}${fraction}`);
  const scaled =
    format === 'binary'
      ? { numerator: digits * 2n ** BigInt(exponent) * NANO, tens: -fraction.length }
      : { numerator: digits * NANO, tens: exponent - fraction.length };
  return { nano: shifted(scaled.numerator, scaled.tens), sign: sign === '-' ? '-' : '', format };
}

function interpret(suffix: string): { format: Format; exponent: number } {
  const power = BINARY.indexOf(suffix);
  if (power > 0) return { format: 'binary', exponent: power * 10 };
  const thousands = DECIMAL.indexOf(suffix);
  if (thousands >= 0) return { format: 'decimal', exponent: (thousands - 3) * 3 };
  const exponent = /^[eE]([-+]?\d+)$/.exec(suffix)?.[1];
  if (exponent === undefined) throw new Error("unable to parse quantity's suffix");
  return { format: 'exponent', exponent: Number(exponent) };
}

/** `value` times ten to the power of `tens`, rounded up: who wants something gets something. */
function shifted(value: bigint, tens: number): bigint {
  if (tens >= 0) return value * 10n ** BigInt(tens);
  const divisor = 10n ** BigInt(-tens);
  return (value + divisor - 1n) / divisor;
}

function decimal(nano: bigint, format: Format): string {
  let value = nano;
  let power = 0;
  while (value % 1000n === 0n && power < DECIMAL.length - 1) {
    value /= 1000n;
    power += 1;
  }
  if (format === 'decimal') return `${value}${DECIMAL[power] ?? ''}`;
  return power === 3 ? `${value}` : `${value}e${(power - 3) * 3}`;
}

/** Small and broken numbers are told in decimals, which lose nothing. */
function binary(nano: bigint): string {
  if (nano % NANO !== 0n || nano < 1024n * NANO) return decimal(nano, 'decimal');
  let value = nano / NANO;
  let power = 0;
  while (value % 1024n === 0n && power < BINARY.length - 1) {
    value /= 1024n;
    power += 1;
  }
  return `${value}${BINARY[power] ?? ''}`;
}
