import { base, RedfishError } from '../messages/index.ts';

/** What of a bad value comes back in the message: enough to find it. */
const SHOWN = 100;

export function badValue(parameter: string, value: string): RedfishError {
  return new RedfishError(400, [base('QueryParameterValueFormatError', [value.slice(0, SHOWN), parameter])]);
}

export function outOfRange(parameter: string, value: string, range: string): RedfishError {
  return new RedfishError(400, [base('QueryParameterOutOfRange', [value.slice(0, SHOWN), parameter, range])]);
}

/** DSP0266 §7.3: a parameter that begins with `$` and is not supported is refused, unlike all others. */
export function unsupported(parameter: string): RedfishError {
  return new RedfishError(501, [base('QueryParameterUnsupported', [parameter.slice(0, SHOWN)])]);
}

export function impossibleTogether(): RedfishError {
  return new RedfishError(400, [base('QueryCombinationInvalid')]);
}

/** `only`, `$filter`, `$top` and `$skip` on what is no collection. */
export function notOfCollection(): RedfishError {
  return new RedfishError(400, [base('QueryNotSupportedOnResource')]);
}

/** DSP0266 §7.5: an answer that would be too large to be made. */
export function tooLarge(most: number): RedfishError {
  return new RedfishError(507, [base('QueryParameterOutOfRange', ['all', '$expand', `of ${most} resources`])]);
}
