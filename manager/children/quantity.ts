import { amountOf } from '../../api/index.ts';

/** Whether two resource.Quantity values are equal: the server stores `1000m` as `1`, `1024Mi` as `1Gi`. */
export function sameQuantity(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  const amount = mayBeQuantity(a) ? amountOf(a) : undefined;
  return amount !== undefined && mayBeQuantity(b) && amount === amountOf(b);
}

function mayBeQuantity(value: unknown): value is string | number {
  return typeof value === 'string' || typeof value === 'number';
}
