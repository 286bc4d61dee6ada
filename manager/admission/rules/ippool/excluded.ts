import { addressSpaceOf, overlap } from '../../../../api/index.ts';
import { CONFIG, type PoolRule } from './inputs.ts';

/** Warns about an excluded address outside the range, which is probably a mistake. */
export const excluded: PoolRule = ({ spec }) => {
  const { space } = addressSpaceOf(spec);
  if (space === undefined) return {};
  const texts = spec.ipv4Config?.pool.exclude ?? [];
  return {
    warnings: space.excluded.flatMap((range, index) =>
      overlap(range, space.range)
        ? []
        : [`${CONFIG}.pool.exclude[${index}]: ${texts[index] ?? ''} is outside the range and excludes nothing`],
    ),
  };
};
