import { addressSpaceOf } from '../../../../api/index.ts';
import { invalid } from '../verdict.ts';
import type { PoolRule } from './inputs.ts';

/** Addresses, ranges and networks must be valid, and the pool must be in its network. */
export const addressesParse: PoolRule = ({ spec }) => ({
  errors: addressSpaceOf(spec).problems.map(({ field, value, message }) => invalid(field, value, message)),
});
