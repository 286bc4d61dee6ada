import { badRequest, invalid, type FieldError } from '../status.ts';

/** Checks what of a pod's log is asked for (core/v1 PodLogOptions). Throws 400 for what cannot be parsed, 422 for the rest. */
export function checkLogOptions(pod: string, query: URLSearchParams): void {
  const tailLines = parseInteger(query.get('tailLines'));
  const limitBytes = parseInteger(query.get('limitBytes'));
  const sinceSeconds = parseInteger(query.get('sinceSeconds'));
  const sinceTime = query.get('sinceTime') ?? '';
  if (sinceTime !== '' && Number.isNaN(Date.parse(sinceTime))) {
    const quoted = JSON.stringify(sinceTime);
    throw badRequest(`parsing time ${quoted} as "2006-01-02T15:04:05Z07:00": cannot parse ${quoted} as "2006"`);
  }
  const errors: FieldError[] = [];
  if (tailLines !== undefined && tailLines < 0)
    errors.push(wrong('tailLines', tailLines, 'must be greater than or equal to 0'));
  if (limitBytes !== undefined && limitBytes < 1)
    errors.push(wrong('limitBytes', limitBytes, 'must be greater than 0'));
  if (sinceSeconds !== undefined && sinceTime !== '')
    errors.push(forbidden('[]', 'at most one of `sinceTime` or `sinceSeconds` may be specified'));
  else if (sinceSeconds !== undefined && sinceSeconds < 1)
    errors.push(wrong('sinceSeconds', sinceSeconds, 'must be greater than 0'));
  if (query.has('stream')) errors.push(forbidden('stream', 'may not be specified'));
  if (errors.length > 0) throw invalid({ group: '', kind: 'PodLogOptions' }, pod, errors);
}

function parseInteger(text: string | null): number | undefined {
  if (text === null) return undefined;
  if (/^[-+]?\d+$/.test(text)) return Number(text);
  throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(text)}: invalid syntax`);
}

function wrong(field: string, value: number, text: string): FieldError {
  return { field, reason: 'FieldValueInvalid', message: `Invalid value: ${value}: ${text}` };
}

function forbidden(field: string, text: string): FieldError {
  return { field, reason: 'FieldValueForbidden', message: `Forbidden: ${text}` };
}
