import { COMPLETION, CompletionError, PRIVILEGE } from '../../message/codes.ts';
import type { Bmc } from '../command.ts';
import { dcmiCommand } from './dcmi-command.ts';

/** Maximum text bytes per message, DCMI 1.5 §6.4. */
const MAX_PART = 16;

/** The tag written by clients, or else the machine's own; may be empty. */
export function assetTagOf(bmc: Bmc): string {
  return assetTagBytes(bmc).toString();
}

/** The UTF-8 bytes of the tag. A character split across two writes is complete after the second. */
function assetTagBytes({ machine, settings }: Bmc): Buffer {
  const kept = settings.current().dcmi?.assetTag;
  return kept === undefined ? Buffer.from(machine.hardware().assetTag ?? '') : Buffer.from(kept, 'latin1');
}

/** Bytes, as UTF-8. */
const MAX_ASSET_TAG = 63;

/** Get Asset Tag, DCMI 1.5 §6.4.2. */
export const getAssetTag = dcmiCommand({
  name: 'Get Asset Tag',
  command: 0x06,
  privilege: PRIVILEGE.user,
  requestLength: [2, 2],
  repeatable: true,
  handle: (request, { bmc }) => readText(tagBytes(bmc), request),
});

/** Set Asset Tag, DCMI 1.5 §6.4.3; the FRU inventory shows it too. */
export const setAssetTag = dcmiCommand({
  name: 'Set Asset Tag',
  command: 0x08,
  privilege: PRIVILEGE.operator,
  requestLength: [2, 2 + MAX_PART],
  repeatable: false,
  handle: async (request, { bmc }) => {
    const text = writeText(tagBytes(bmc), request, MAX_ASSET_TAG);
    await bmc.settings.change(({ dcmi }) => ({ dcmi: { ...dcmi, assetTag: text.toString('latin1') } }));
    return Buffer.of(text.length);
  },
});

function tagBytes(bmc: Bmc): Buffer {
  return assetTagBytes(bmc).subarray(0, MAX_ASSET_TAG);
}

/** Bytes, including the terminating NUL. */
const MAX_CONTROLLER_ID = 64;

/** Get Management Controller Identifier String, DCMI 1.5 §6.4.6: the value written by a client, or else the machine's name. */
export const getControllerId = dcmiCommand({
  name: 'Get Management Controller Identifier String',
  command: 0x09,
  privilege: PRIVILEGE.user,
  requestLength: [2, 2],
  repeatable: true,
  handle: (request, { bmc }) => readText(controllerIdOf(bmc), request),
});

/** Set Management Controller Identifier String, DCMI 1.5 §6.4.6. */
export const setControllerId = dcmiCommand({
  name: 'Set Management Controller Identifier String',
  command: 0x0a,
  privilege: PRIVILEGE.administrator,
  requestLength: [2, 2 + MAX_PART],
  repeatable: false,
  handle: async (request, { bmc }) => {
    const text = writeText(controllerIdOf(bmc), request, MAX_CONTROLLER_ID);
    await bmc.settings.change(({ dcmi }) => ({ dcmi: { ...dcmi, controllerId: text.toString('latin1') } }));
    return Buffer.of(text.length);
  },
});

function controllerIdOf({ machine, settings }: Bmc): Buffer {
  const kept = settings.current().dcmi?.controllerId;
  if (kept !== undefined) return Buffer.from(kept, 'latin1');
  const name = Buffer.from(machine.identity().name).subarray(0, MAX_CONTROLLER_ID - 1);
  return Buffer.concat([name, Buffer.of(0)]);
}

/**
 * A part of a text in DCMI responses: the total length, then the part, which is empty at the end.
 *
 * @param request offset, count
 * @throws CompletionError 0xC9 for an offset after the end, or more bytes than one message allows
 */
function readText(text: Buffer, request: Buffer): Buffer {
  const offset = request.readUInt8(0);
  const count = request.readUInt8(1);
  if (offset > text.length || count > MAX_PART) {
    throw new CompletionError(COMPLETION.outOfRange, `${count} bytes at ${offset} of ${text.length}`);
  }
  return Buffer.concat([Buffer.of(text.length), text.subarray(offset, offset + count)]);
}

/**
 * The text with a part written into it. The text ends after the part: clients write from start to end.
 *
 * @param request offset, count, bytes
 * @throws CompletionError 0xC7, 0xC9
 */
function writeText(text: Buffer, request: Buffer, maxLength: number): Buffer {
  const offset = request.readUInt8(0);
  const part = request.subarray(2);
  if (request.readUInt8(1) !== part.length)
    throw new CompletionError(COMPLETION.invalidLength, 'the count differs from the number of bytes');
  if (offset > text.length || offset + part.length > maxLength) {
    throw new CompletionError(COMPLETION.outOfRange, `${part.length} bytes at ${offset}`);
  }
  return Buffer.concat([text.subarray(0, offset), part]);
}
