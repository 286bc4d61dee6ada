import { base, RedfishError } from '../messages.ts';

/** Maximum length of an invalid value in a message. */
const SHOWN = 100;

export function badValue(parameter: string, value: string): RedfishError {
  return new RedfishError(400, [base('QueryParameterValueFormatError', [value.slice(0, SHOWN), parameter])]);
}

export function outOfRange(parameter: string, value: string, range: string): RedfishError {
  return new RedfishError(400, [base('QueryParameterOutOfRange', [value.slice(0, SHOWN), parameter, range])]);
}

/** DSP0266 §7.3: unsupported parameters that begin with `$` are refused; all others are ignored. */
export function unsupported(parameter: string): RedfishError {
  return new RedfishError(501, [base('QueryParameterUnsupported', [parameter.slice(0, SHOWN)])]);
}

export function impossibleTogether(): RedfishError {
  return new RedfishError(400, [base('QueryCombinationInvalid')]);
}

/** `only`, `$filter`, `$top` and `$skip` on a resource that is not a collection. */
export function notOfCollection(): RedfishError {
  return new RedfishError(400, [base('QueryNotSupportedOnResource')]);
}

/** DSP0266 §7.5: the answer would be too large. */
export function tooLarge(most: number): RedfishError {
  return new RedfishError(507, [base('QueryParameterOutOfRange', ['all', '$expand', `of ${most} resources`])]);
}
