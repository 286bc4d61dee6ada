import { parseIpv4, type IPPoolSpec } from '../../../../api/index.ts';
import { invalid, type FieldError } from '../verdict.ts';
import { CONFIG, type PoolRule } from './facts.ts';

type Option = NonNullable<NonNullable<IPPoolSpec['ipv4Config']>['options']>[number];

/** What a server or a client says in the protocol itself (RFC 2132 §9, RFC 3046): no setting of a pool. */
const PROTOCOL: Readonly<Record<number, string>> = {
  50: 'requested address',
  51: 'lease time: set leaseTime',
  52: 'option overload',
  53: 'message type',
  54: 'server identifier',
  55: 'parameter request list',
  57: 'maximum message size',
  61: 'client identifier',
  82: 'relay agent information',
};

/** A further option is one that a pool can set, and its value is what its type says. */
export const furtherOptions: PoolRule = ({ spec }) => {
  const errors: FieldError[] = [];
  for (const [index, option] of (spec.ipv4Config?.options ?? []).entries()) {
    const field = `${CONFIG}.options[${index}]`;
    const own = PROTOCOL[option.code];
    if (own !== undefined)
      errors.push({
        field: `${field}.code`,
        type: 'Forbidden',
        detail: `${option.code} is the protocol's own (${own})`,
      });
    const detail = PROBLEM[option.type](option.type === 'text' ? option.value : option.value.trim());
    if (detail !== undefined) errors.push(invalid(`${field}.value`, option.value, detail));
  }
  return { errors };
};

const PROBLEM: Record<Option['type'], (value: string) => string | undefined> = {
  text: (value) => (value === '' || value.includes('\0') ? 'is empty, or has a NUL in it' : undefined),
  ip: (value) => (parseIpv4(value) === undefined ? 'is not an IPv4 address' : undefined),
  ips: (value) =>
    value.split(',').every((text) => parseIpv4(text.trim()) !== undefined)
      ? undefined
      : 'is not a list of IPv4 addresses, separated by commas',
  uint8: (value) => numberProblem(value, 8),
  uint16: (value) => numberProblem(value, 16),
  uint32: (value) => numberProblem(value, 32),
  boolean: (value) => (/^(true|false|1|0)$/.test(value) ? undefined : 'is neither true nor false'),
  hex: (value) =>
    /^([0-9a-f]{2})+$/i.test(value.replace(/^0x/i, '').replace(/[\s:-]/g, ''))
      ? undefined
      : 'is not in hexadecimal, two digits to a byte',
};

function numberProblem(value: string, bits: number): string | undefined {
  return /^\d+$/.test(value) && Number(value) < 2 ** bits ? undefined : `is not a number of ${bits} bits`;
}
