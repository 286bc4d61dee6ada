import { objectOr } from '../json.ts';
import type { Strategy } from '../resources/index.ts';
import { fieldErrors } from '../schema/index.ts';
import type { FieldError } from '../status.ts';

/** Leases: those who elect a leader rely on numbers that mean something. */
export const leaseStrategy: Strategy = {
  validate(lease) {
    const { leaseDurationSeconds: duration, leaseTransitions: transitions } = objectOr(lease['spec']);
    const errors: FieldError[] = [];
    if (typeof duration === 'number' && duration <= 0)
      errors.push(fieldErrors.invalid('spec.leaseDurationSeconds', duration, 'must be greater than 0'));
    if (typeof transitions === 'number' && transitions < 0)
      errors.push(fieldErrors.invalid('spec.leaseTransitions', transitions, 'must be greater than or equal to 0'));
    return errors;
  },
};
