import { addressSpaceOf } from '../../../../api/index.ts';
import { invalid } from '../verdict.ts';
import type { PoolRule } from './inputs.ts';

/** Addresses, ranges and networks are such, and the pool lies in its network. */
export const addressesParse: PoolRule = ({ spec }) => ({
  errors: addressSpaceOf(spec).problems.map(({ field, value, message }) => invalid(field, value, message)),
});
