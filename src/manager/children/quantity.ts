const SUFFIXES: Record<string, number> = {
  ...{ n: 1e-9, u: 1e-6, m: 1e-3, '': 1, k: 1e3, M: 1e6, G: 1e9, T: 1e12, P: 1e15, E: 1e18 },
  ...{ Ki: 2 ** 10, Mi: 2 ** 20, Gi: 2 ** 30, Ti: 2 ** 40, Pi: 2 ** 50, Ei: 2 ** 60 },
};

/** Whether two resource.Quantity values are one amount: the server stores `1000m` as `1`, `1024Mi` as `1Gi`. */
export function sameQuantity(a: unknown, b: unknown): boolean {
  return a === b || amount(a) === amount(b);
}

function amount(value: unknown): number {
  if (typeof value !== 'string' && typeof value !== 'number') return NaN;
  const match = /^([+-]?(?:\d+\.?\d*|\.\d+))(?:[eE]([+-]?\d+)|([numkMGTPE]|[KMGTPE]i)?)$/.exec(String(value));
  if (match === null) return NaN;
  const [, mantissa = '', exponent, suffix = ''] = match;
  if (exponent !== undefined) return Number(`${mantissa}e${exponent}`);
  return Number(mantissa) * (SUFFIXES[suffix] ?? NaN);
}
