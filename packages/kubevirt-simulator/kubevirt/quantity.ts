const SUFFIXES: Readonly<Record<string, number>> = {
  n: 1e-9,
  u: 1e-6,
  m: 1e-3,
  '': 1,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  P: 1e15,
  E: 1e18,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
  Pi: 2 ** 50,
  Ei: 2 ** 60,
};

/** Bytes of a Kubernetes quantity (`1Gi`, `5e8`, `100M`), rounded up; undefined where it is none. */
export function bytesOf(quantity: string): number | undefined {
  const [, number = '', suffix = ''] = /^([+-]?[0-9.]+(?:[eE][+-]?[0-9]+)?)([A-Za-z]*)$/.exec(quantity) ?? [];
  const value = Number(number);
  if (number === '' || Number.isNaN(value)) return undefined;
  const factor = SUFFIXES[suffix];
  return factor === undefined ? undefined : Math.ceil(value * factor);
}
