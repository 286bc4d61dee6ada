import { type DhcpOption, encodeDhcpOption } from '../../../api/index.ts';

/** The form of an option's value on the wire. */
interface Form {
  codes: readonly number[];
  what: string;
  /** The first one is advised. */
  types: readonly [DhcpOption['type'], ...DhcpOption['type'][]];
  /** Bytes of a value, or of each item of a list. */
  size: number;
  isList?: true;
}

/** The options whose form is fixed and not text (RFC 2132 §3 to §9, RFC 5859, RFC 8925). */
const FORMS: readonly Form[] = [
  { codes: [1, 16, 28, 32], what: 'an IPv4 address', types: ['ip'], size: 4 },
  {
    codes: [3, 4, 5, 6, 7, 8, 9, 10, 11, 41, 42, 44, 45, 48, 49, 65, 68, 69, 70, 71, 72, 73, 74, 75, 76, 150],
    what: 'a list of IPv4 addresses',
    types: ['ips', 'ip'],
    size: 4,
    isList: true,
  },
  { codes: [21, 33], what: 'a list of pairs of IPv4 addresses', types: ['ips'], size: 8, isList: true },
  { codes: [19, 20, 27, 29, 30, 31, 34, 36, 39], what: 'a boolean', types: ['boolean', 'uint8'], size: 1 },
  { codes: [23, 37, 46], what: 'a number of 8 bits', types: ['uint8'], size: 1 },
  { codes: [13, 22, 26], what: 'a number of 16 bits', types: ['uint16'], size: 2 },
  { codes: [2, 24, 35, 38, 58, 59, 108], what: 'a number of 32 bits', types: ['uint32'], size: 4 },
];

/** Why clients could not read the value: `is not a list of IPv4 addresses: use type ips`. Undefined if they can, or if it is not known. */
export function optionMismatch(option: DhcpOption): string | undefined {
  const form = FORMS.find(({ codes }) => codes.includes(option.code));
  const bytes = encodeDhcpOption(option);
  if (form === undefined || bytes === undefined) return undefined;
  const { what, types, size, isList = false } = form;
  const isSized = isList ? bytes.length % size === 0 : bytes.length === size;
  if ((option.type === 'hex' || types.includes(option.type)) && isSized) return undefined;
  return `is not ${what}, which option ${option.code} needs: use type ${types[0]}`;
}
