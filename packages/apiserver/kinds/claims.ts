import { quantityValue } from '../golang/index.ts';
import { arrayOr, at, equal, objectOr, textOr, type JsonObject } from '../json.ts';
import type { ApiObject } from '../objects.ts';
import type { Strategy } from '../resources/index.ts';
import { fieldErrors } from '../schema/index.ts';
import type { FieldError } from '../status.ts';

const ACCESS_MODES = ['ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOnce', 'ReadWriteOncePod'];
const VOLUME_MODES = ['Block', 'Filesystem'];
const STORAGE = 'spec.resources[storage]';
const CHANGE_RULE =
  'spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims';

export const claimStrategy: Strategy = {
  judgesAll: true,
  setDefaults(claim) {
    objectOr(claim['spec'])['volumeMode'] ??= 'Filesystem';
  },
  prepareCreate(claim) {
    claim['status'] = { phase: 'Pending' };
  },
  validate(claim, previous, subresource) {
    if (subresource === 'status') return [];
    const errors = claimErrors(objectOr(claim['spec']));
    return previous === undefined ? errors : [...errors, ...changeErrors(claim, previous)];
  },
};

function claimErrors(spec: JsonObject): FieldError[] {
  const modes = arrayOr(spec['accessModes']).map(textOr);
  const errors: FieldError[] = [];
  if (modes.length === 0) errors.push(fieldErrors.required('spec.accessModes', 'at least 1 access mode is required'));
  for (const mode of modes) {
    if (!ACCESS_MODES.includes(mode)) errors.push(fieldErrors.notSupported('spec.accessModes', mode, ACCESS_MODES));
  }
  if (modes.includes('ReadWriteOncePod') && modes.length > 1)
    errors.push(fieldErrors.forbidden('spec.accessModes', 'may not use ReadWriteOncePod with other access modes'));
  const storage = storageOf(spec);
  if (storage === undefined) errors.push(fieldErrors.required(STORAGE));
  else if (quantityValue(storage) <= 0n)
    errors.push(fieldErrors.invalid(STORAGE, storage, 'must be greater than zero'));
  const mode = textOr(spec['volumeMode']);
  if (!VOLUME_MODES.includes(mode)) errors.push(fieldErrors.notSupported('spec.volumeMode', mode, VOLUME_MODES));
  return errors;
}

/** A claim is given its volume and its class once, and a bound one may grow. */
function changeErrors(claim: ApiObject, previous: ApiObject): FieldError[] {
  const [after, before] = [objectOr(claim['spec']), objectOr(previous['spec'])];
  const allowed: JsonObject = { ...after };
  for (const once of ['volumeName', 'storageClassName']) if (before[once] === undefined) allowed[once] = undefined;
  if (at(claim, 'status', 'phase') === 'Bound') allowed['resources'] = before['resources'];
  const errors: FieldError[] = [];
  if (!equal(allowed, before)) errors.push(fieldErrors.forbidden('spec', CHANGE_RULE));
  const [wanted, had] = [storageOf(after), storageOf(before)];
  const capacity = textOr(at(previous, 'status', 'capacity', 'storage')) || '0';
  if (wanted !== undefined && had !== undefined && quantityValue(wanted) < quantityValue(had)) {
    if (quantityValue(wanted) <= quantityValue(capacity))
      errors.push(
        fieldErrors.forbidden('spec.resources.requests.storage', 'field can not be less than status.capacity'),
      );
  }
  if (after['volumeMode'] !== before['volumeMode'])
    errors.push(fieldErrors.invalid('volumeMode', after['volumeMode'], 'field is immutable'));
  return errors;
}

function storageOf(spec: JsonObject): string | undefined {
  const storage = at(spec, 'resources', 'requests', 'storage');
  return typeof storage === 'string' ? storage : undefined;
}
