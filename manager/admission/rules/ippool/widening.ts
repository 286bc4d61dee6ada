import { parseIpv4 } from '../../../../api/index.ts';
import { invalid, type FieldError } from '../verdict.ts';
import { CONFIG, type PoolRule } from './inputs.ts';

/** The range of a pool may only grow, so that every lease stays in it. `exclude` removes addresses. */
export const widening: PoolRule = ({ spec }, old) => {
  const [pool, before] = [spec.ipv4Config?.pool, old?.spec.ipv4Config?.pool];
  if (pool === undefined || before === undefined) return {};
  const errors: FieldError[] = [];
  const [start, startBefore] = [parseIpv4(pool.start), parseIpv4(before.start)];
  const [end, endBefore] = [parseIpv4(pool.end), parseIpv4(before.end)];
  const advice = 'a pool can be widened alone; to lease less, add to exclude';
  if (start !== undefined && startBefore !== undefined && start > startBefore)
    errors.push(invalid(`${CONFIG}.pool.start`, pool.start, `is after ${before.start}: ${advice}`));
  if (end !== undefined && endBefore !== undefined && end < endBefore)
    errors.push(invalid(`${CONFIG}.pool.end`, pool.end, `is before ${before.end}: ${advice}`));
  return { errors };
};
