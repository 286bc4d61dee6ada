import { COMPLETION, CompletionError } from '../../message/completion-code.ts';

/** Length of the name field, padded with zeros. */
export const NAME_LENGTH = 16;

/** @throws CompletionError 0xCC for invalid UTF-8 */
export function decodeName(field: Buffer): string {
  const end = field.indexOf(0);
  const bytes = end === -1 ? field : field.subarray(0, end);
  const name = bytes.toString('utf8');
  if (!Buffer.from(name, 'utf8').equals(bytes)) {
    throw new CompletionError(COMPLETION.invalidField, 'the name is no UTF-8');
  }
  return name;
}

/** A name in IPMI encoding; longer names exist only in Redfish. */
export function encodeName(name: string): Buffer {
  const field = Buffer.alloc(NAME_LENGTH);
  Buffer.from(name, 'utf8').copy(field);
  return field;
}
