import { DHCP_PROTOCOL_OPTIONS, encodeDhcpOption, type DhcpOption } from '../../../../api/index.ts';
import { invalid, type FieldError } from '../verdict.ts';
import { CONFIG, type PoolRule } from './inputs.ts';

/** A pool may set the option code, and the value must match its type. */
export const furtherOptions: PoolRule = ({ spec }) => {
  const errors: FieldError[] = [];
  for (const [index, option] of (spec.ipv4Config?.options ?? []).entries()) {
    const field = `${CONFIG}.options[${index}]`;
    const own = DHCP_PROTOCOL_OPTIONS[option.code];
    if (own !== undefined)
      errors.push({
        field: `${field}.code`,
        type: 'Forbidden',
        detail: `${option.code} is the protocol's own (${own})`,
      });
    if (encodeDhcpOption(option) === undefined)
      errors.push(invalid(`${field}.value`, option.value, WANTED[option.type]));
  }
  return { errors };
};

/** The error message for a value that does not match its type. */
const WANTED: Record<DhcpOption['type'], string> = {
  text: 'is empty, or has a NUL in it',
  ip: 'is not an IPv4 address',
  ips: 'is not a list of IPv4 addresses, separated by commas',
  uint8: 'is not a number of 8 bits',
  uint16: 'is not a number of 16 bits',
  uint32: 'is not a number of 32 bits',
  boolean: 'is neither true nor false',
  hex: 'is not in hexadecimal, two digits to a byte',
};
