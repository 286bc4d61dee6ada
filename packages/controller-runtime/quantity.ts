/** The power of ten or two that a suffix stands for. */
const DECIMAL: Readonly<Record<string, number>> = { n: -9, u: -6, m: -3, '': 0, k: 3, M: 6, G: 9, T: 12, P: 15, E: 18 };
const BINARY: Readonly<Record<string, number>> = { Ki: 10, Mi: 20, Gi: 30, Ti: 40, Pi: 50, Ei: 60 };

/** The number that a resource.Quantity (`500m`, `1Gi`, `5e8`, 2) stands for; undefined for any other value. */
export function parseQuantity(quantity: unknown): number | undefined {
  if (typeof quantity !== 'string' && typeof quantity !== 'number') return undefined;
  const match = /^([+-]?(?:\d+\.?\d*|\.\d+))(?:[eE]([+-]?\d{1,3})|([numkMGTPE]|[KMGTPE]i)?)$/.exec(String(quantity));
  if (match === null) return undefined;
  const [, mantissa = '', exponent, suffix = ''] = match;
  const binary = BINARY[suffix];
  if (binary !== undefined) return Number(mantissa) * 2 ** binary;
  // Not multiplied: 9 × 0.001 differs from 0.009.
  return Number(`${mantissa}e${exponent ?? DECIMAL[suffix] ?? 0}`);
}

/** Whether two resource.Quantity values are equal: the API server stores `1000m` as `1` and `1024Mi` as `1Gi`. */
export function sameQuantity(a: unknown, b: unknown): boolean {
  const amount = parseQuantity(a);
  return a === b || (amount !== undefined && amount === parseQuantity(b));
}
