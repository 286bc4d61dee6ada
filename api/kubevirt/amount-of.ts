const SUFFIXES: Record<string, number> = {
  ...{ n: 1e-9, u: 1e-6, m: 1e-3, '': 1, k: 1e3, M: 1e6, G: 1e9, T: 1e12, P: 1e15, E: 1e18 },
  ...{ Ki: 2 ** 10, Mi: 2 ** 20, Gi: 2 ** 30, Ti: 2 ** 40, Pi: 2 ** 50, Ei: 2 ** 60 },
};

/** The number that a resource.Quantity stands for; undefined for what is none. */
export function amountOf(quantity: string | number | undefined): number | undefined {
  const match = /^([+-]?(?:\d+\.?\d*|\.\d+))(?:[eE]([+-]?\d{1,3})|([numkMGTPE]|[KMGTPE]i)?)$/.exec(String(quantity));
  if (match === null) return undefined;
  const [, mantissa = '', exponent, suffix = ''] = match;
  if (exponent !== undefined) return Number(`${mantissa}e${exponent}`);
  return Number(mantissa) * (SUFFIXES[suffix] ?? NaN);
}
