import { parse } from 'yaml';
import { StatusError } from '../../kubevirt/status-error.ts';

/** The options that a lifecycle request may carry; each request reads those that are its own. */
export interface RequestOptions {
  paused: boolean;
  /** As given; the API server refuses values other than `All`. */
  dryRun: readonly string[];
  gracePeriod: number | undefined;
  gracePeriodSeconds: number | undefined;
}

type Fields = Record<string, 'bool' | 'int64' | '[]string'>;

/** Which fields each of KubeVirt's option structs has. */
const STRUCTS = {
  StartOptions: { paused: 'bool', dryRun: '[]string' },
  StopOptions: { gracePeriod: 'int64', dryRun: '[]string' },
  RestartOptions: { gracePeriodSeconds: 'int64', dryRun: '[]string' },
  PauseOptions: { dryRun: '[]string' },
  UnpauseOptions: { dryRun: '[]string' },
  MigrateOptions: { dryRun: '[]string' },
} satisfies Record<string, Fields>;

export type OptionsStruct = keyof typeof STRUCTS;

/**
 * Reads a request's body, JSON or YAML or nothing, as the named struct; fields that it does not have are ignored.
 *
 * @throws StatusError 400 with Go's words where the body or a field's type is wrong.
 */
export function parseRequestOptions(struct: OptionsStruct, body: string): RequestOptions {
  const options: RequestOptions = {
    paused: false,
    dryRun: [],
    gracePeriod: undefined,
    gracePeriodSeconds: undefined,
  };
  const document = parseDocument(body);
  // A body that does not begin as a JSON object is decoded as YAML, whose decoder puts words before the error's.
  const prefix = body.trimStart().startsWith('{') ? '' : 'error unmarshaling JSON: while decoding JSON: ';
  if (document === undefined || document === null) return options;
  if (typeof document !== 'object' || Array.isArray(document)) {
    throw refused(`${prefix}json: cannot unmarshal ${goTypeOf(document)} into Go value of type v1.${struct}`);
  }
  const fields: Fields = STRUCTS[struct];
  for (const [name, value] of Object.entries(document)) {
    const type = fields[name];
    if (type === undefined || value === null) continue;
    if (!hasType(type, value)) {
      const field = `Go struct field ${struct}.${name} of type ${type}`;
      throw refused(`${prefix}json: cannot unmarshal ${goTypeOf(value)} into ${field}`);
    }
    Object.assign(options, { [name]: value as boolean | number | string[] });
  }
  return options;
}

function parseDocument(body: string): unknown {
  try {
    return parse(body) as unknown;
  } catch (error) {
    throw refused(error instanceof Error ? (error.message.split('\n', 1)[0] ?? '') : String(error));
  }
}

function refused(error: string): StatusError {
  return StatusError.badRequest(`Can not unmarshal Request body to struct, error: ${error}`);
}

function hasType(type: Fields[string], value: unknown): boolean {
  if (type === 'bool') return typeof value === 'boolean';
  if (type === 'int64') return Number.isSafeInteger(value);
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}

function goTypeOf(value: unknown): string {
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return Number.isSafeInteger(value) ? 'number' : `number ${value}`;
  return typeof value === 'boolean' ? 'bool' : typeof value;
}
